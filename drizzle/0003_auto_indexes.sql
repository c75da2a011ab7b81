CREATE TABLE `auto_indexes` (
	`structure` integer NOT NULL,
	`column` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`structure`, `column`),
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `structure_rows` ADD `changes` integer DEFAULT 0 NOT NULL;