CREATE TABLE `sort_values` (
	`pk` integer PRIMARY KEY NOT NULL,
	`workspace` integer NOT NULL,
	`digest` text NOT NULL,
	`value` text NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sort_values_digest` ON `sort_values` (`workspace`,`digest`);