DELETE FROM `auto_indexes` WHERE "column" = '*';--> statement-breakpoint
UPDATE `structure_stats` SET `indexed_to` = NULL;--> statement-breakpoint
DELETE FROM `row_search_pending`;
