INSERT INTO note_search (note_search, rank) VALUES ('usermerge', 8);--> statement-breakpoint
INSERT INTO note_search_head (note_search_head, rank) VALUES ('usermerge', 8);
