#ifndef TL_VERSION_H
#define TL_VERSION_H

#define TL_VERSION "0.1.0"

#endif
