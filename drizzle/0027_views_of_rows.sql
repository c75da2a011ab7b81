CREATE TABLE `private_changes` (
	`pk` integer PRIMARY KEY NOT NULL,
	`object` blob NOT NULL,
	`user` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `private_changes_object` ON `private_changes` (`object`,`first`);--> statement-breakpoint
CREATE TABLE `row_views` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`filter` text NOT NULL,
	`search` text,
	`sort` text,
	`direction` text,
	`columns` text,
	`group_by` text,
	`date_field` text,
	`end_field` text,
	`personal` integer NOT NULL,
	`locked` integer NOT NULL,
	`owner` text,
	`owner_name` text,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `row_views_id_unique` ON `row_views` (`id`);--> statement-breakpoint
CREATE INDEX `row_views_workspace` ON `row_views` (`workspace`,`structure`,`position`);--> statement-breakpoint
CREATE INDEX `row_views_structure` ON `row_views` (`structure`,`position`);--> statement-breakpoint
ALTER TABLE `structures` ADD `icon` text;--> statement-breakpoint
ALTER TABLE `structures` ADD `color` text;