CREATE TABLE `kept_answers` (
	`key_id` text NOT NULL,
	`target` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`body_hash` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `target`, `idempotency_key`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `kept_answers_created` ON `kept_answers` (`created_at`);--> statement-breakpoint
CREATE TABLE `records` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`structure` integer NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `records_id_unique` ON `records` (`id`);--> statement-breakpoint
CREATE INDEX `records_deleted` ON `records` (`structure`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `structure_rows` (
	`structure` integer PRIMARY KEY NOT NULL,
	`live` integer DEFAULT 0 NOT NULL,
	`in_order` integer DEFAULT 1 NOT NULL,
	`last_created_at` integer,
	`last_id` text,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `structures` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text,
	`description` text,
	`fields` text NOT NULL,
	`label_field` text,
	`unique_together` text NOT NULL,
	`max_rows` integer,
	`immutable` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `structures_id_unique` ON `structures` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `structures_name` ON `structures` (`workspace`,`name_fold`);