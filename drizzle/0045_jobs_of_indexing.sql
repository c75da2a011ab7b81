INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'notes.links', `note`, '{"after":"","changes":0}', 0 FROM `links_pending`;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'notes.search', 0, 'null', 0 WHERE EXISTS (SELECT 1 FROM `search_pending` WHERE `can_wait` < 2);--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'structure.text', `structure`, 'null', 0 FROM `structure_stats` WHERE `indexed_to` IS NOT NULL;--> statement-breakpoint
DROP TABLE `links_pending`;
