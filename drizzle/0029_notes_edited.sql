CREATE TABLE `user_preferences` (
	`user` integer PRIMARY KEY NOT NULL,
	`preferences` text NOT NULL,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `notes` ADD `edited_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `notes` SET `edited_at` = `updated_at`;--> statement-breakpoint
CREATE INDEX `notes_edited` ON `notes` (`workspace`,`edited_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
ALTER TABLE `presets` ADD `content` text;--> statement-breakpoint
-- A mirror is compared with its remote as a whole: an earlier one did not ask for what notes and presets have now.
UPDATE `mirrors` SET `cursor` = '000000000000-0';
