-- Indexes that option -I adds.
CREATE INDEX tl_event_start ON tl_event (start_ns);
CREATE INDEX tl_event_lane ON tl_event (lane, start_ns);
CREATE INDEX tl_event_name ON tl_event (name);
