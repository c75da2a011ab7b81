ALTER TABLE `auto_indexes` DROP COLUMN `is_ready`;--> statement-breakpoint
UPDATE `structure_stats` SET `own_table` = 2 WHERE `own_table` = 1;