ALTER TABLE `webhooks` ADD `pause_reason` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `user` integer;--> statement-breakpoint
UPDATE `webhooks` SET `user` = (SELECT `user` FROM `keys` WHERE `keys`.`id` = `webhooks`.`created_by_key_id`);
