CREATE TABLE `webhook_pulled` (
	`pk` integer PRIMARY KEY NOT NULL,
	`webhook` integer NOT NULL,
	`sequence` integer NOT NULL,
	`created_at` integer NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_pulled_order` ON `webhook_pulled` (`webhook`,`sequence`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `delivery` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `acknowledged` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `done_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `dropped` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `webhooks_pulled` ON `webhooks` (`pk`) WHERE delivery IS NOT NULL;