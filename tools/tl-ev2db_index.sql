-- Indexes of the analysis database, built when all rows are there.
CREATE UNIQUE INDEX tl_position_number ON tl_position (scope, number);
CREATE INDEX tl_position_parent ON tl_position (parent);
CREATE UNIQUE INDEX tl_occurrence_n ON tl_occurrence (position, n);
CREATE INDEX tl_occurrence_parent ON tl_occurrence (parent);
CREATE INDEX tl_member_event ON tl_member (event);
CREATE INDEX tl_member_launch ON tl_member (launch);
CREATE INDEX tl_launch_call ON tl_launch (call);
CREATE INDEX tl_event_correlation ON tl_event (correlation)
	WHERE kind = 6 AND correlation IS NOT NULL; -- calls
CREATE INDEX tl_link_event ON tl_link (event);
CREATE INDEX tl_json_file ON tl_json (context, file_line);
