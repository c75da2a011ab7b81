CREATE TABLE `webhook_sequences` (
	`event` integer PRIMARY KEY NOT NULL,
	`webhook` integer NOT NULL,
	`sequence` integer NOT NULL,
	`object` text,
	`is_pending` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_sequences_pending` ON `webhook_sequences` (`webhook`,`object`,`sequence`) WHERE is_pending = 1;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `ordered` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `sequence` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_blocked` ON `webhook_deliveries` (`webhook`,`id`) WHERE is_urgent = 2;