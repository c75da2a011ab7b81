ALTER TABLE `kept_answers` RENAME TO `idempotency_keys`;--> statement-breakpoint
ALTER TABLE `idempotency_keys` RENAME COLUMN `answer` TO `response`;--> statement-breakpoint
ALTER TABLE `idempotency_keys` RENAME COLUMN `created_at` TO `saved_at`;--> statement-breakpoint
DROP INDEX `kept_answers_created`;--> statement-breakpoint
CREATE INDEX `idempotency_keys_saved` ON `idempotency_keys` (`saved_at`);--> statement-breakpoint
ALTER TABLE `structure_rows` RENAME TO `structure_stats`;--> statement-breakpoint
ALTER TABLE `structure_stats` RENAME COLUMN `searched_to` TO `indexed_to`;--> statement-breakpoint
ALTER TABLE `structures` RENAME COLUMN `subscriptions` TO `subscriptions_version`;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` RENAME COLUMN `round` TO `redeliveries`;