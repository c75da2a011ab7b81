ALTER TABLE `keys` ADD `access` text;--> statement-breakpoint
ALTER TABLE `members` ADD `access` text;