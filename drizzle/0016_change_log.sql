CREATE TABLE `change_actors` (
	`pk` integer PRIMARY KEY NOT NULL,
	`surface` text NOT NULL,
	`user_id` text,
	`key_id` text,
	`name` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `change_epochs` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`epoch` text NOT NULL,
	`since` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `change_epochs_workspace` ON `change_epochs` (`workspace`,`pk`);--> statement-breakpoint
CREATE TABLE `changes` (
	`key` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	`actor` integer NOT NULL,
	`kind` integer NOT NULL,
	`object` blob NOT NULL,
	`structure` blob,
	`revision` integer,
	`detail` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `changes_object` ON `changes` (`object`);--> statement-breakpoint
INSERT INTO `change_epochs` (`workspace`, `epoch`, `since`) SELECT `pk`, lower(hex(randomblob(6))), 0 FROM `workspaces`;
