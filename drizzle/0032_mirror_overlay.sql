CREATE TABLE `mirror_overlay` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`structure` text,
	`base` text,
	`remote` text,
	`pushed` text,
	`held` text,
	`problem` text,
	PRIMARY KEY(`kind`, `id`)
) STRICT;
--> statement-breakpoint
ALTER TABLE `mirrors` ADD `is_writable` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `mirrors` ADD `is_forwarding` integer DEFAULT 0 NOT NULL;