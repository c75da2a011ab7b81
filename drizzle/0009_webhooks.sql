CREATE TABLE `webhook_deliveries` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`id` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`round` integer DEFAULT 0 NOT NULL,
	`is_urgent` integer DEFAULT 0 NOT NULL,
	`response_status` integer,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`last_attempt_at` integer,
	`ended_at` integer,
	PRIMARY KEY(`event`, `webhook`),
	FOREIGN KEY (`event`) REFERENCES `webhook_events`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook`) REFERENCES `webhooks`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_listed` ON `webhook_deliveries` (`webhook`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook`,`is_urgent`,`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at`) WHERE ended_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`record_id` text,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`events` text NOT NULL,
	`filter` text NOT NULL,
	`fields` text,
	`ignore_own_key` integer NOT NULL,
	`ignore_key_id` text,
	`description` text,
	`enabled` integer NOT NULL,
	`paused_at` integer,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`created_by_key_id` text,
	`is_removed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id_unique` ON `webhooks` (`id`);--> statement-breakpoint
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace`,`pk`);--> statement-breakpoint
CREATE INDEX `webhooks_structure` ON `webhooks` (`structure`);--> statement-breakpoint
ALTER TABLE `structures` ADD `subscriptions` text;