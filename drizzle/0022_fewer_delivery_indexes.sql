CREATE TABLE `__new_webhook_deliveries` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`id` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`redeliveries` integer DEFAULT 0 NOT NULL,
	`is_urgent` integer DEFAULT 0 NOT NULL,
	`response_status` integer,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`last_attempt_at` integer,
	`ended_at` integer,
	PRIMARY KEY(`event`, `webhook`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_webhook_deliveries`("event", "webhook", "id", "status", "attempts", "redeliveries", "is_urgent", "response_status", "error", "next_attempt_at", "created_at", "last_attempt_at", "ended_at") SELECT "event", "webhook", "id", "status", "attempts", "redeliveries", "is_urgent", "response_status", "error", "next_attempt_at", "created_at", "last_attempt_at", "ended_at" FROM `webhook_deliveries`;--> statement-breakpoint
DROP TABLE `webhook_deliveries`;--> statement-breakpoint
ALTER TABLE `__new_webhook_deliveries` RENAME TO `webhook_deliveries`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_new` ON `webhook_deliveries` (`webhook`,`id`) WHERE status = 'pending' AND attempts = 0 AND is_urgent = 0;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_listed` ON `webhook_deliveries` (`webhook`,`status`,`id`) WHERE (status <> 'pending' OR attempts > 0 OR is_urgent = 1);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook`,`is_urgent`,`next_attempt_at`) WHERE status = 'pending' AND (attempts > 0 OR is_urgent = 1);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at`) WHERE ended_at IS NOT NULL;