CREATE TABLE `tag_link_jobs` (
	`pk` integer PRIMARY KEY NOT NULL,
	`tag` integer NOT NULL,
	`linked` text NOT NULL,
	`notes` text NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tag`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
DROP INDEX `properties_key`;--> statement-breakpoint
ALTER TABLE `properties` ADD `is_removed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `properties_key` ON `properties` (`workspace`,`key`) WHERE is_removed = 0;--> statement-breakpoint
DROP INDEX `tags_name`;--> statement-breakpoint
ALTER TABLE `tags` ADD `is_removed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`workspace`,`name_fold`) WHERE is_removed = 0;--> statement-breakpoint
ALTER TABLE `search_pending` ADD `can_wait` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `search_pending_urgent` ON `search_pending` (`workspace`,`note`) WHERE can_wait = 0;