CREATE TABLE `imported_files` (
	`pk` integer PRIMARY KEY NOT NULL,
	`workspace` integer NOT NULL,
	`folder` text NOT NULL,
	`path` text NOT NULL,
	`kind` text NOT NULL,
	`object` text NOT NULL,
	`digest` text NOT NULL,
	`written` text,
	`fields` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imported_files_path` ON `imported_files` (`workspace`,`folder`,`path`);--> statement-breakpoint
CREATE INDEX `imported_files_object` ON `imported_files` (`object`);