CREATE TABLE `webhook_attempts` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`response_status` integer,
	`error` text,
	`ms` integer NOT NULL,
	PRIMARY KEY(`event`, `webhook`, `number`),
	FOREIGN KEY (`event`,`webhook`) REFERENCES `webhook_deliveries`(`event`,`webhook`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `webhooks` ADD `earlier_secrets` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `headers` text;