DROP INDEX `workspaces_search`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `search_tables`;--> statement-breakpoint
CREATE VIRTUAL TABLE note_search USING fts5(title, body, tags, tokenize = 'ascii', content = '', contentless_delete = 1);--> statement-breakpoint
INSERT INTO note_search (note_search, rank) VALUES ('automerge', 0), ('usermerge', 4), ('crisismerge', 1900);--> statement-breakpoint
CREATE VIRTUAL TABLE note_search_head USING fts5(title, tags, prefix = '6 7', tokenize = 'ascii', content = '', contentless_delete = 1);--> statement-breakpoint
INSERT INTO note_search_head (note_search_head, rank) VALUES ('automerge', 0), ('usermerge', 4), ('crisismerge', 1900);--> statement-breakpoint
CREATE VIRTUAL TABLE tag_search USING fts5(name, prefix = '6 7', tokenize = 'ascii', content = '', contentless_delete = 1);--> statement-breakpoint
INSERT INTO tag_search (tag_search, rank) VALUES ('automerge', 4), ('crisismerge', 1900);--> statement-breakpoint
DELETE FROM `search_pending`;--> statement-breakpoint
INSERT INTO `search_pending` (`workspace`, `note`, `can_wait`) SELECT `workspace`, `pk`, 2 FROM `notes` WHERE `deleted_at` IS NULL;
