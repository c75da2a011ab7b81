ALTER TABLE `users` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `users_key` ON `users` (`name_key`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_key` ON `workspaces` (`name_key`);