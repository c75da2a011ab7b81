CREATE TABLE `links_pending` (
	`note` integer PRIMARY KEY NOT NULL,
	`workspace` integer NOT NULL,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
