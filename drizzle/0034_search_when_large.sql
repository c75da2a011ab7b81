ALTER TABLE `workspaces` ADD `search_tables` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_search` ON `workspaces` (`search_tables`) WHERE search_tables IN (1, 3);--> statement-breakpoint
UPDATE `workspaces` SET `search_tables` = 3;
