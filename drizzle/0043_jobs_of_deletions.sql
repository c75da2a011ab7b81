INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'webhook.detach', `pk`, 'null', 0 FROM `webhooks` WHERE `is_removed` = 1;--> statement-breakpoint
DELETE FROM `webhook_waiting` WHERE `webhook` IN (SELECT `pk` FROM `webhooks` WHERE `is_removed` = 1);--> statement-breakpoint
DELETE FROM `webhooks` WHERE `is_removed` = 1;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'source.detach', `pk`, 'null', 0 FROM `sources` WHERE `is_removed` = 1;--> statement-breakpoint
DELETE FROM `sources` WHERE `is_removed` = 1;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`)
	SELECT 'structure.indexes', `pk`, json_object('pk', `pk`, 'ownTable', coalesce((SELECT `own_table` FROM `structure_stats` WHERE `structure` = `pk`), 0)), 0
	FROM `structures` WHERE `name_fold` IS NULL;--> statement-breakpoint
DELETE FROM `structure_stats` WHERE `own_table` <> 2 AND `structure` IN (SELECT `pk` FROM `structures` WHERE `name_fold` IS NULL);--> statement-breakpoint
DELETE FROM `auto_indexes` WHERE `structure` IN (SELECT `pk` FROM `structures` WHERE `name_fold` IS NULL);--> statement-breakpoint
DELETE FROM `row_search_pending` WHERE `structure` IN (SELECT `pk` FROM `structures` WHERE `name_fold` IS NULL);--> statement-breakpoint
DELETE FROM `structures` WHERE `name_fold` IS NULL;--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `key`, `state`, `due_at`) SELECT 'file.detach', `pk`, CAST(`workspace` AS TEXT), 0 FROM `files` WHERE `status` = 'removed';--> statement-breakpoint
DELETE FROM `files` WHERE `status` = 'removed';--> statement-breakpoint
DROP INDEX `sources_name`;--> statement-breakpoint
CREATE UNIQUE INDEX `sources_name` ON `sources` (`workspace`,`name_fold`);--> statement-breakpoint
ALTER TABLE `sources` DROP COLUMN `is_removed`;--> statement-breakpoint
ALTER TABLE `webhooks` DROP COLUMN `is_removed`;