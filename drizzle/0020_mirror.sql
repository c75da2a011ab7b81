CREATE TABLE `mirror_events` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`record` text NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `mirrors` (
	`workspace` integer PRIMARY KEY NOT NULL,
	`remote` text NOT NULL,
	`selection` text NOT NULL,
	`cursor` text NOT NULL,
	`delay_ms` integer NOT NULL,
	`last_contact_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
