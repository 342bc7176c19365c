#ifndef TL_ANALYSIS_DB_H
#define TL_ANALYSIS_DB_H

/* The analysis database, tl-db(5): what tells one from other SQLite files.
 * The application id is the big-endian number at byte 68 of the file; "tlDB".
 * The other one is that of a file that is being written. */
#define TL_DB_APPLICATION 0x746c4442
#define TL_DB_UNFINISHED 0x746c4462

/* Schema version written, and the oldest one read; PRAGMA user_version. */
#define TL_DB_VERSION 1
#define TL_DB_VERSION_MIN 1

#endif
