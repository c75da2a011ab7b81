CREATE TABLE `note_aliases` (
	`workspace` integer NOT NULL,
	`alias_fold` text NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`workspace`, `alias_fold`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `note_aliases_note` ON `note_aliases` (`note`);--> statement-breakpoint
ALTER TABLE `notes` ADD `aliases` text;--> statement-breakpoint
INSERT OR REPLACE INTO `search_pending` (`workspace`, `note`, `can_wait`)
	SELECT `workspace`, `pk`, 2 FROM `notes` WHERE `alias` IS NOT NULL AND `deleted_at` IS NULL;
