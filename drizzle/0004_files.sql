CREATE TABLE `file_pages` (
	`pk` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `file_parts` (
	`pk` integer PRIMARY KEY NOT NULL,
	`bytes` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `files` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer,
	`file_name` text NOT NULL,
	`mime_type` text NOT NULL,
	`size` integer NOT NULL,
	`status` text NOT NULL,
	`pages` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`claim` text,
	`claimed_until` integer,
	`outline` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `files_id_unique` ON `files` (`id`);--> statement-breakpoint
CREATE INDEX `files_created` ON `files` (`workspace`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `files_note` ON `files` (`note`) WHERE note IS NOT NULL;--> statement-breakpoint
CREATE INDEX `files_unfinished` ON `files` (`status`,`pk`) WHERE status NOT IN ('ready', 'failed');