CREATE TABLE `source_targets` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` integer NOT NULL,
	`workspace` integer NOT NULL,
	`url` text NOT NULL,
	`paused_at` integer,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`removed_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `source_targets_source` ON `source_targets` (`source`);--> statement-breakpoint
ALTER TABLE `sources` ADD `forwards` text;