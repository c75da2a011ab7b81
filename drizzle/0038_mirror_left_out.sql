CREATE TABLE `mirror_left_out` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `mirrors` ADD `problem` text;