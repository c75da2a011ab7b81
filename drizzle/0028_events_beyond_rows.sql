CREATE TABLE `webhook_moments` (
	`schedule` integer NOT NULL,
	`record` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`schedule`, `record`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `webhook_moments_due` ON `webhook_moments` (`due_at`);--> statement-breakpoint
CREATE TABLE `webhook_schedules` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook` integer NOT NULL,
	`since` integer NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`last` integer,
	`is_ended` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhook_waiting` (
	`note` integer NOT NULL,
	`webhook` integer NOT NULL,
	`first_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`surface` text NOT NULL,
	`key_id` text,
	`before` text NOT NULL,
	PRIMARY KEY(`note`, `webhook`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook`) REFERENCES `webhooks`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_waiting_due` ON `webhook_waiting` (`due_at`);--> statement-breakpoint
CREATE INDEX `webhook_waiting_webhook` ON `webhook_waiting` (`webhook`);--> statement-breakpoint
CREATE TABLE `__new_webhooks` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer,
	`kind` text,
	`format` text,
	`template` text,
	`quiet_seconds` integer,
	`include_content` integer,
	`due` text,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`earlier_secrets` text,
	`events` text NOT NULL,
	`filter` text,
	`fields` text,
	`ignore_own_key` integer NOT NULL,
	`ignore_key_id` text,
	`description` text,
	`headers` text,
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
INSERT INTO `__new_webhooks`("pk", "id", "workspace", "structure", "url", "secret", "earlier_secrets", "events", "filter", "fields", "ignore_own_key", "ignore_key_id", "description", "headers", "enabled", "paused_at", "consecutive_failures", "created_by_key_id", "is_removed", "created_at", "updated_at") SELECT "pk", "id", "workspace", "structure", "url", "secret", "earlier_secrets", "events", "filter", "fields", "ignore_own_key", "ignore_key_id", "description", "headers", "enabled", "paused_at", "consecutive_failures", "created_by_key_id", "is_removed", "created_at", "updated_at" FROM `webhooks`;--> statement-breakpoint
DROP TABLE `webhooks`;--> statement-breakpoint
ALTER TABLE `__new_webhooks` RENAME TO `webhooks`;--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id_unique` ON `webhooks` (`id`);--> statement-breakpoint
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace`,`pk`);--> statement-breakpoint
CREATE INDEX `webhooks_structure` ON `webhooks` (`structure`);--> statement-breakpoint
CREATE INDEX `webhooks_beyond_rows` ON `webhooks` (`workspace`,`kind`) WHERE structure IS NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `announcement` text;--> statement-breakpoint
ALTER TABLE `webhook_events` ADD `content_type` text;