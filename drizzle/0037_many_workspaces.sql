ALTER TABLE `users` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `users_key` ON `users` (`name_key`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_key` ON `workspaces` (`name_key`);--> statement-breakpoint
CREATE INDEX `change_actors_of` ON `change_actors` (`key_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `structure_stats_indexed` ON `structure_stats` (`structure`) WHERE indexed_to IS NOT NULL;