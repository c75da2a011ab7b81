CREATE TABLE `row_search_pending` (
	`structure` integer NOT NULL,
	`row` integer NOT NULL,
	PRIMARY KEY(`structure`, `row`),
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `structure_rows` ADD `searched_to` integer;