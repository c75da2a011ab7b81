CREATE TABLE `sign_in_addresses` (
	`user` integer NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user`, `address`),
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `users` ADD `used_link` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `server_address` ADD `public_url` text;--> statement-breakpoint
ALTER TABLE `server_address` ADD `is_port_fixed` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `setup_links` ADD `maker` integer REFERENCES users(pk) ON DELETE cascade;--> statement-breakpoint
-- Nothing says who made the links that wait; whoever has a password has used one.
DELETE FROM `setup_links`;--> statement-breakpoint
UPDATE `users` SET `used_link` = 1 WHERE `password_hash` IS NOT NULL;--> statement-breakpoint
-- What removed members left would be theirs again, were they added again.
UPDATE `keys` SET `revoked_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE `revoked_at` IS NULL AND NOT EXISTS (SELECT 1 FROM `members` WHERE `members`.`workspace` = `keys`.`workspace` AND `members`.`user` = `keys`.`user`);--> statement-breakpoint
DELETE FROM `sessions` WHERE NOT EXISTS (SELECT 1 FROM `members` WHERE `members`.`workspace` = `sessions`.`workspace` AND `members`.`user` = `sessions`.`user`);--> statement-breakpoint
UPDATE `users` SET `password_hash` = NULL WHERE NOT EXISTS (SELECT 1 FROM `members` WHERE `members`.`user` = `users`.`pk`);
