CREATE TABLE `webhook_responses` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`is_cut` integer NOT NULL,
	PRIMARY KEY(`event`, `webhook`, `number`),
	FOREIGN KEY (`event`,`webhook`,`number`) REFERENCES `webhook_attempts`(`event`,`webhook`,`number`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
