CREATE TABLE `keys` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer, `access` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `keys_id_unique` ON `keys` (`id`);
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);
CREATE INDEX `keys_workspace` ON `keys` (`workspace`);
CREATE TABLE `members` (
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`role` text NOT NULL, `access` text,
	PRIMARY KEY(`workspace`, `user`),
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `members_user` ON `members` (`user`);
CREATE TABLE `users` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL
, `used_link` integer DEFAULT 0 NOT NULL, `name_key` text DEFAULT '' NOT NULL) STRICT;
CREATE UNIQUE INDEX `users_id_unique` ON `users` (`id`);
CREATE UNIQUE INDEX `users_name_fold_unique` ON `users` (`name_fold`);
CREATE TABLE `workspaces` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`created_at` integer NOT NULL,
	`live_notes` integer DEFAULT 0 NOT NULL,
	`trashed_notes` integer DEFAULT 0 NOT NULL
, `notes_in_order` integer DEFAULT 1 NOT NULL, `name_key` text DEFAULT '' NOT NULL) STRICT;
CREATE UNIQUE INDEX `workspaces_id_unique` ON `workspaces` (`id`);
CREATE UNIQUE INDEX `workspaces_name_fold_unique` ON `workspaces` (`name_fold`);
CREATE TABLE `note_bodies` (
	`note` integer PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `note_links` (
	`workspace` integer NOT NULL,
	`target` text NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`workspace`, `target`, `note`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `note_links_note` ON `note_links` (`note`);
CREATE TABLE `notes` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`title` text NOT NULL,
	`title_fold` text NOT NULL,
	`alias` text,
	`alias_fold` text,
	`pinned` integer DEFAULT 0 NOT NULL,
	`pin_label` text,
	`cover_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer, `edited_at` integer DEFAULT 0 NOT NULL, `aliases` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `notes_id_unique` ON `notes` (`id`);
CREATE INDEX `notes_updated` ON `notes` (`workspace`,`updated_at`,`id`) WHERE deleted_at IS NULL;
CREATE INDEX `notes_created` ON `notes` (`workspace`,`created_at`,`id`) WHERE deleted_at IS NULL;
CREATE INDEX `notes_title` ON `notes` (`workspace`,`title_fold`,`id`) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX `notes_alias` ON `notes` (`workspace`,`alias_fold`) WHERE alias_fold IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX `notes_trash` ON `notes` (`workspace`,`deleted_at`,`id`) WHERE deleted_at IS NOT NULL;
CREATE TABLE `revisions` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`note` integer NOT NULL,
	`created_at` integer NOT NULL,
	`surface` text NOT NULL,
	`title` text NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `revisions_id_unique` ON `revisions` (`id`);
CREATE INDEX `revisions_note` ON `revisions` (`note`,`pk`);
CREATE INDEX `revisions_created` ON `revisions` (`created_at`);
CREATE TABLE `search_pending` (
	`workspace` integer NOT NULL,
	`note` integer NOT NULL, `can_wait` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`workspace`, `note`)
) STRICT, WITHOUT ROWID;
CREATE TABLE `properties` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`key` text NOT NULL,
	`type` text NOT NULL,
	`label` text,
	`options` text,
	`position` integer NOT NULL,
	`is_pinned` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `properties_id_unique` ON `properties` (`id`);
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`color` text,
	`is_pinned` integer DEFAULT 0 NOT NULL,
	`note_count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE "idempotency_keys" (
	`key_id` text NOT NULL,
	`target` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`body_hash` text NOT NULL,
	"response" text NOT NULL,
	"saved_at" integer NOT NULL,
	PRIMARY KEY(`key_id`, `target`, `idempotency_key`)
) STRICT;
CREATE TABLE `records` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`structure` integer NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
) STRICT;
CREATE UNIQUE INDEX `records_id_unique` ON `records` (`id`);
CREATE TABLE "structure_stats" (
	`structure` integer PRIMARY KEY NOT NULL,
	`live` integer DEFAULT 0 NOT NULL,
	`in_order` integer DEFAULT 1 NOT NULL,
	`last_created_at` integer,
	`last_id` text, `changes` integer DEFAULT 0 NOT NULL, "indexed_to" integer, `own_table` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `structures` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text,
	`description` text,
	`fields` text NOT NULL,
	`label_field` text,
	`unique_together` text NOT NULL,
	`max_rows` integer,
	`immutable` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, "subscriptions_version" text, `icon` text, `color` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `structures_id_unique` ON `structures` (`id`);
CREATE UNIQUE INDEX `structures_name` ON `structures` (`workspace`,`name_fold`);
CREATE TABLE `auto_indexes` (
	`structure` integer NOT NULL,
	`column` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`structure`, `column`),
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `file_pages` (
	`pk` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;
CREATE TABLE `file_parts` (
	`pk` integer PRIMARY KEY NOT NULL,
	`bytes` blob NOT NULL
) STRICT;
CREATE TABLE `files` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer,
	`file_name` text NOT NULL,
	`mime_type` text NOT NULL,
	`size` integer NOT NULL,
	`status` text NOT NULL,
	`pages` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`claim` text,
	`outline` text, `announcement` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `files_id_unique` ON `files` (`id`);
CREATE INDEX `files_created` ON `files` (`workspace`,`created_at`,`id`);
CREATE INDEX `files_note` ON `files` (`note`) WHERE note IS NOT NULL;
CREATE INDEX `files_unfinished` ON `files` (`status`,`pk`) WHERE status NOT IN ('ready', 'failed');
CREATE TABLE `views` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`filter` text,
	`sort_field` text NOT NULL,
	`sort_direction` text NOT NULL,
	`sort_property` text,
	`display_properties` text NOT NULL,
	`show_tags` integer NOT NULL,
	`is_pinned` integer NOT NULL,
	`is_default` integer NOT NULL,
	`icon` text,
	`color` text,
	`cover_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `views_id_unique` ON `views` (`id`);
CREATE INDEX `views_workspace` ON `views` (`workspace`,`pk`);
CREATE UNIQUE INDEX `views_default` ON `views` (`workspace`) WHERE is_default = 1;
CREATE TABLE `lenses` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`scope` text,
	`settings` text NOT NULL,
	`is_default` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `lenses_id_unique` ON `lenses` (`id`);
CREATE INDEX `lenses_workspace` ON `lenses` (`workspace`,`pk`);
CREATE UNIQUE INDEX `lenses_default` ON `lenses` (`workspace`) WHERE is_default = 1;
CREATE TABLE `preset_properties` (
	`preset` integer NOT NULL,
	`property` integer NOT NULL,
	`is_asked` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text,
	PRIMARY KEY(`preset`, `property`),
	FOREIGN KEY (`preset`) REFERENCES `presets`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`property`) REFERENCES `properties`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `preset_properties_property` ON `preset_properties` (`property`);
CREATE TABLE `preset_tags` (
	`preset` integer NOT NULL,
	`tag` integer NOT NULL,
	PRIMARY KEY(`preset`, `tag`),
	FOREIGN KEY (`preset`) REFERENCES `presets`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `preset_tags_tag` ON `preset_tags` (`tag`);
CREATE TABLE `presets` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`icon` text,
	`color` text,
	`is_pinned` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `content` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `presets_id_unique` ON `presets` (`id`);
CREATE UNIQUE INDEX `presets_name` ON `presets` (`workspace`,`name_fold`);
CREATE TABLE `quick_access` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer NOT NULL,
	`icon` text,
	`color` text,
	`icon_filled` integer NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `quick_access_id_unique` ON `quick_access` (`id`);
CREATE UNIQUE INDEX `quick_access_note_unique` ON `quick_access` (`note`);
CREATE INDEX `quick_access_position` ON `quick_access` (`workspace`,`position`);
CREATE TABLE `row_search_pending` (
	`structure` integer NOT NULL,
	`row` integer NOT NULL,
	PRIMARY KEY(`structure`, `row`),
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `webhook_events` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`record_id` text,
	`body` text NOT NULL
, `content_type` text) STRICT;
CREATE INDEX `idempotency_keys_saved` ON `idempotency_keys` (`saved_at`);
CREATE INDEX `search_pending_urgent` ON `search_pending` (`workspace`,`note`) WHERE can_wait = 0;
CREATE TABLE `imported_files` (
	`pk` integer PRIMARY KEY NOT NULL,
	`workspace` integer NOT NULL,
	`folder` text NOT NULL,
	`path` text NOT NULL,
	`kind` text NOT NULL,
	`object` text NOT NULL,
	`digest` text NOT NULL,
	`written` text,
	`fields` text, `original` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `imported_files_path` ON `imported_files` (`workspace`,`folder`,`path`);
CREATE INDEX `imported_files_object` ON `imported_files` (`object`);
CREATE TABLE `webhook_attempts` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`response_status` integer,
	`error` text,
	`ms` integer NOT NULL,
	PRIMARY KEY(`event`, `webhook`, `number`),
	FOREIGN KEY (`event`,`webhook`) REFERENCES `webhook_deliveries`(`event`,`webhook`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `change_actors` (
	`pk` integer PRIMARY KEY NOT NULL,
	`surface` text NOT NULL,
	`user_id` text,
	`key_id` text,
	`name` text
) STRICT;
CREATE TABLE `change_epochs` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`epoch` text NOT NULL,
	`since` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `change_epochs_workspace` ON `change_epochs` (`workspace`,`pk`);
CREATE TABLE `changes` (
	`key` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	`actor` integer NOT NULL,
	`kind` integer NOT NULL,
	`object` blob NOT NULL,
	`structure` blob,
	`revision` integer,
	`detail` text
) STRICT;
CREATE INDEX `changes_object` ON `changes` (`object`);
CREATE TABLE `server_address` (
	`pk` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL
, `public_url` text, `is_port_fixed` integer DEFAULT 1 NOT NULL) STRICT;
CREATE TABLE `sessions` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`hash` text NOT NULL,
	`user` integer NOT NULL,
	`workspace` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`address` text NOT NULL,
	`user_agent` text NOT NULL,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);
CREATE INDEX `sessions_user` ON `sessions` (`user`);
CREATE INDEX `sessions_workspace` ON `sessions` (`workspace`);
CREATE TABLE `setup_links` (
	`user` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`expires_at` integer NOT NULL, `maker` integer REFERENCES users(pk) ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `setup_links_hash_unique` ON `setup_links` (`hash`);
CREATE INDEX `records_deleted` ON `records` (`structure`,`deleted_at`) WHERE deleted_at IS NOT NULL;
CREATE TABLE `mirror_events` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`record` text NOT NULL,
	`body` text NOT NULL
) STRICT;
CREATE TABLE `mirrors` (
	`workspace` integer PRIMARY KEY NOT NULL,
	`remote` text NOT NULL,
	`selection` text NOT NULL,
	`cursor` text NOT NULL,
	`delay_ms` integer NOT NULL,
	`last_contact_at` integer NOT NULL, `is_writable` integer DEFAULT 0 NOT NULL, `is_forwarding` integer DEFAULT 0 NOT NULL, `problem` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `change_undos` (
	`key` integer PRIMARY KEY NOT NULL,
	`undone` integer NOT NULL
) STRICT;
CREATE TABLE "webhook_deliveries" (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`id` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`redeliveries` integer DEFAULT 0 NOT NULL,
	`is_urgent` integer DEFAULT 0 NOT NULL,
	`response_status` integer,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`last_attempt_at` integer,
	`ended_at` integer,
	PRIMARY KEY(`event`, `webhook`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `webhook_deliveries_new` ON `webhook_deliveries` (`webhook`,`id`) WHERE status = 'pending' AND attempts = 0 AND is_urgent = 0;
CREATE INDEX `webhook_deliveries_listed` ON `webhook_deliveries` (`webhook`,`status`,`id`) WHERE (status <> 'pending' OR attempts > 0 OR is_urgent = 1);
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook`,`is_urgent`,`next_attempt_at`) WHERE status = 'pending' AND (attempts > 0 OR is_urgent = 1);
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at`) WHERE ended_at IS NOT NULL;
CREATE TABLE `sign_in_addresses` (
	`user` integer NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user`, `address`),
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `change_undos_undone` ON `change_undos` (`undone`);
CREATE TABLE `passkeys` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user` integer NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`credential` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`is_synced` integer NOT NULL,
	`transports` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `passkeys_id_unique` ON `passkeys` (`id`);
CREATE UNIQUE INDEX `passkeys_credential_unique` ON `passkeys` (`credential`);
CREATE INDEX `passkeys_user` ON `passkeys` (`user`);
CREATE TABLE `provider_links` (
	`user` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`closed_workspace` integer,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`closed_workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `provider_links_subject` ON `provider_links` (`issuer`,`subject`);
CREATE TABLE `source_events` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`source` integer NOT NULL,
	`external_id` text,
	`event` text,
	`status` text NOT NULL,
	`record_id` text,
	`error` text,
	`received_at` integer NOT NULL,
	`headers` text NOT NULL,
	`body` blob NOT NULL
, `size` integer, `kept` integer) STRICT;
CREATE UNIQUE INDEX `source_events_id_unique` ON `source_events` (`id`);
CREATE INDEX `source_events_listed` ON `source_events` (`source`,`id`);
CREATE INDEX `source_events_status` ON `source_events` (`source`,`status`,`id`);
CREATE INDEX `source_events_external` ON `source_events` (`source`,`external_id`) WHERE external_id IS NOT NULL;
CREATE INDEX `source_events_received` ON `source_events` (`received_at`);
CREATE TABLE `source_sealed` (
	`event` integer PRIMARY KEY NOT NULL,
	`secret_version` integer NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
CREATE TABLE `sources` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`provider` text NOT NULL,
	`options` text NOT NULL,
	`secret` text,
	`secret_version` integer DEFAULT 0 NOT NULL,
	`token` text,
	`map` text NOT NULL,
	`external_id` text,
	`event` text,
	`when` text NOT NULL,
	`on_conflict` text NOT NULL,
	`newer_by` text,
	`enabled` integer NOT NULL,
	`description` text,
	`counts` text NOT NULL,
	`last_event_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `kept_bytes` integer DEFAULT 0 NOT NULL, `forwards` text,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `sources_id_unique` ON `sources` (`id`);
CREATE UNIQUE INDEX `sources_token` ON `sources` (`token`) WHERE token IS NOT NULL;
CREATE INDEX `sources_structure` ON `sources` (`structure`);
CREATE TABLE `private_changes` (
	`pk` integer PRIMARY KEY NOT NULL,
	`object` blob NOT NULL,
	`user` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL
) STRICT;
CREATE INDEX `private_changes_object` ON `private_changes` (`object`,`first`);
CREATE TABLE `row_views` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`filter` text NOT NULL,
	`search` text,
	`sort` text,
	`direction` text,
	`columns` text,
	`group_by` text,
	`date_field` text,
	`end_field` text,
	`personal` integer NOT NULL,
	`locked` integer NOT NULL,
	`owner` text,
	`owner_name` text,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `row_views_id_unique` ON `row_views` (`id`);
CREATE INDEX `row_views_workspace` ON `row_views` (`workspace`,`structure`,`position`);
CREATE INDEX `row_views_structure` ON `row_views` (`structure`,`position`);
CREATE TABLE `webhook_moments` (
	`schedule` integer NOT NULL,
	`record` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`schedule`, `record`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `webhook_moments_due` ON `webhook_moments` (`due_at`);
CREATE TABLE `webhook_schedules` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook` integer NOT NULL,
	`since` integer NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`last` integer,
	`is_ended` integer DEFAULT 0 NOT NULL
) STRICT;
CREATE TABLE `webhook_waiting` (
	`note` integer NOT NULL,
	`webhook` integer NOT NULL,
	`first_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`surface` text NOT NULL,
	`key_id` text,
	`before` text NOT NULL,
	PRIMARY KEY(`note`, `webhook`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook`) REFERENCES `webhooks`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `webhook_waiting_due` ON `webhook_waiting` (`due_at`);
CREATE INDEX `webhook_waiting_webhook` ON `webhook_waiting` (`webhook`);
CREATE TABLE "webhooks" (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`structure` integer,
	`kind` text,
	`format` text,
	`template` text,
	`quiet_seconds` integer,
	`include_content` integer,
	`due` text,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`earlier_secrets` text,
	`events` text NOT NULL,
	`filter` text,
	`fields` text,
	`ignore_own_key` integer NOT NULL,
	`ignore_key_id` text,
	`description` text,
	`headers` text,
	`enabled` integer NOT NULL,
	`paused_at` integer,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`created_by_key_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `pause_reason` text, `user` integer, `ordered` integer, `sequence` integer DEFAULT 0 NOT NULL, `delivery` text, `acknowledged` integer, `done_to` integer DEFAULT 0 NOT NULL, `dropped` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`structure`) REFERENCES `structures`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `webhooks_id_unique` ON `webhooks` (`id`);
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace`,`pk`);
CREATE INDEX `webhooks_structure` ON `webhooks` (`structure`);
CREATE INDEX `webhooks_beyond_rows` ON `webhooks` (`workspace`,`kind`) WHERE structure IS NULL;
CREATE TABLE `user_preferences` (
	`user` integer PRIMARY KEY NOT NULL,
	`preferences` text NOT NULL,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `notes_edited` ON `notes` (`workspace`,`edited_at`,`id`) WHERE deleted_at IS NULL;
CREATE TABLE `shares` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`structure` text,
	`name` text,
	`token` text NOT NULL,
	`password_hash` text,
	`options` text NOT NULL,
	`expires_at` integer,
	`created_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`uses` integer DEFAULT 0 NOT NULL,
	`written` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `shares_id_unique` ON `shares` (`id`);
CREATE UNIQUE INDEX `shares_token_unique` ON `shares` (`token`);
CREATE INDEX `shares_workspace` ON `shares` (`workspace`,`pk`);
CREATE INDEX `shares_created_by` ON `shares` (`created_by`);
CREATE TABLE `mirror_overlay` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`structure` text,
	`base` text,
	`remote` text,
	`pushed` text,
	`held` text,
	`problem` text,
	PRIMARY KEY(`kind`, `id`)
) STRICT;
CREATE TABLE `small_rows` (
	`structure` integer NOT NULL,
	`pk` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`f1` ANY,
	`f2` ANY,
	`f3` ANY,
	`f4` ANY,
	`f5` ANY,
	`f6` ANY,
	`f7` ANY,
	`f8` ANY,
	`f9` ANY,
	`f10` ANY,
	`f11` ANY,
	`f12` ANY,
	`f13` ANY,
	`f14` ANY,
	`f15` ANY,
	`f16` ANY,
	`f17` ANY,
	`f18` ANY,
	`f19` ANY,
	`f20` ANY,
	`g1` ANY,
	`g2` ANY,
	`g3` ANY,
	`g4` ANY,
	`g5` ANY,
	`g6` ANY,
	`g7` ANY,
	`g8` ANY,
	`g9` ANY,
	`g10` ANY,
	`g11` ANY,
	`g12` ANY,
	`g13` ANY,
	`g14` ANY,
	`g15` ANY,
	`g16` ANY,
	`g17` ANY,
	`g18` ANY,
	`g19` ANY,
	`g20` ANY,
	PRIMARY KEY(`structure`, `pk`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `users_key` ON `users` (`name_key`);
CREATE INDEX `workspaces_key` ON `workspaces` (`name_key`);
CREATE INDEX `change_actors_of` ON `change_actors` (`key_id`,`user_id`);
CREATE INDEX `structure_stats_indexed` ON `structure_stats` (`structure`) WHERE indexed_to IS NOT NULL;
CREATE TABLE `mirror_left_out` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `source_events_kept` ON `source_events` (`source`,`received_at`) WHERE kept IS NOT NULL;
CREATE TABLE `jobs` (
	`kind` text NOT NULL,
	`key` ANY NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `key`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `jobs_due` ON `jobs` (`kind`,`due_at`);
CREATE TABLE "note_properties" (
	`note` integer NOT NULL,
	`property` integer NOT NULL,
	`value` ANY NOT NULL,
	PRIMARY KEY(`note`, `property`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `note_properties_value` ON `note_properties` (`property`,`value`,`note`);
CREATE TABLE "note_tags" (
	`tag` integer NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`tag`, `note`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `note_tags_note` ON `note_tags` (`note`,`tag`);
CREATE TABLE "tag_links" (
	`tag` integer NOT NULL,
	`linked` integer NOT NULL,
	PRIMARY KEY(`tag`, `linked`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `tag_links_linked` ON `tag_links` (`linked`);
CREATE UNIQUE INDEX `properties_key` ON `properties` (`workspace`,`key`);
CREATE UNIQUE INDEX `tags_name` ON `tags` (`workspace`,`name_fold`);
CREATE VIRTUAL TABLE note_search USING fts5(title, body, tags, tokenize = 'ascii', content = '', contentless_delete = 1);
CREATE VIRTUAL TABLE note_search_head USING fts5(title, tags, prefix = '6 7', tokenize = 'ascii', content = '', contentless_delete = 1);
CREATE VIRTUAL TABLE tag_search USING fts5(name, prefix = '6 7', tokenize = 'ascii', content = '', contentless_delete = 1);
CREATE UNIQUE INDEX `sources_name` ON `sources` (`workspace`,`name_fold`);
CREATE TABLE `webhook_sequences` (
	`event` integer PRIMARY KEY NOT NULL,
	`webhook` integer NOT NULL,
	`sequence` integer NOT NULL,
	`object` text,
	`is_pending` integer
) STRICT;
CREATE INDEX `webhook_sequences_pending` ON `webhook_sequences` (`webhook`,`object`,`sequence`) WHERE is_pending = 1;
CREATE INDEX `webhook_deliveries_blocked` ON `webhook_deliveries` (`webhook`,`id`) WHERE is_urgent = 2;
CREATE TABLE `sort_values` (
	`pk` integer PRIMARY KEY NOT NULL,
	`workspace` integer NOT NULL,
	`digest` text NOT NULL,
	`value` text NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `sort_values_digest` ON `sort_values` (`workspace`,`digest`);
CREATE TABLE `access_tokens` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`app` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`app`) REFERENCES `connected_apps`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `access_tokens_hash_unique` ON `access_tokens` (`hash`);
CREATE INDEX `access_tokens_app` ON `access_tokens` (`app`);
CREATE TABLE `app_codes` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`scope` text NOT NULL,
	`access` text,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `app_codes_hash_unique` ON `app_codes` (`hash`);
CREATE INDEX `app_codes_user` ON `app_codes` (`user`);
CREATE INDEX `app_codes_workspace` ON `app_codes` (`workspace`);
CREATE TABLE `connected_apps` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`scope` text NOT NULL,
	`access` text,
	`code_hash` text NOT NULL,
	`family_hash` text NOT NULL,
	`refresh_hash` text NOT NULL,
	`refresh_expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `connected_apps_id_unique` ON `connected_apps` (`id`);
CREATE UNIQUE INDEX `connected_apps_code_hash_unique` ON `connected_apps` (`code_hash`);
CREATE UNIQUE INDEX `connected_apps_family_hash_unique` ON `connected_apps` (`family_hash`);
CREATE INDEX `connected_apps_user` ON `connected_apps` (`user`);
CREATE INDEX `connected_apps_workspace` ON `connected_apps` (`workspace`);
CREATE TABLE `oauth_clients` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer
) STRICT;
CREATE UNIQUE INDEX `oauth_clients_id_unique` ON `oauth_clients` (`id`);
CREATE INDEX `oauth_clients_used` ON `oauth_clients` (`used_at`);
CREATE TABLE `webhook_pulled` (
	`pk` integer PRIMARY KEY NOT NULL,
	`webhook` integer NOT NULL,
	`sequence` integer NOT NULL,
	`created_at` integer NOT NULL,
	`body` text NOT NULL
) STRICT;
CREATE UNIQUE INDEX `webhook_pulled_order` ON `webhook_pulled` (`webhook`,`sequence`);
CREATE INDEX `webhooks_pulled` ON `webhooks` (`pk`) WHERE delivery IS NOT NULL;
CREATE TABLE `source_targets` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` integer NOT NULL,
	`workspace` integer NOT NULL,
	`url` text NOT NULL,
	`paused_at` integer,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`removed_at` integer
) STRICT;
CREATE INDEX `source_targets_source` ON `source_targets` (`source`);
CREATE TABLE `note_aliases` (
	`workspace` integer NOT NULL,
	`alias_fold` text NOT NULL,
	`note` integer NOT NULL,
	PRIMARY KEY(`workspace`, `alias_fold`),
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `note_aliases_note` ON `note_aliases` (`note`);
CREATE TABLE `comment_notices` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace` integer NOT NULL,
	`user` integer NOT NULL,
	`comment` integer NOT NULL,
	`reason` text NOT NULL,
	`read_at` integer,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user`) REFERENCES `users`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`comment`) REFERENCES `comments`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `comment_notices_comment` ON `comment_notices` (`comment`,`user`);
CREATE INDEX `comment_notices_user` ON `comment_notices` (`user`,`workspace`,`pk`);
CREATE INDEX `comment_notices_workspace` ON `comment_notices` (`workspace`);
CREATE TABLE `comments` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace` integer NOT NULL,
	`note` integer,
	`record` integer,
	`thread` integer,
	`author` text,
	`author_name` text NOT NULL,
	`text` text NOT NULL,
	`passage` text,
	`mentions` text NOT NULL,
	`resolved_at` integer,
	`resolved_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace`) REFERENCES `workspaces`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`note`) REFERENCES `notes`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`record`) REFERENCES `records`(`pk`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`thread`) REFERENCES `comments`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `comments_id_unique` ON `comments` (`id`);
CREATE INDEX `comments_workspace` ON `comments` (`workspace`,`created_at`,`id`);
CREATE INDEX `comments_note` ON `comments` (`note`,`created_at`,`id`) WHERE note IS NOT NULL;
CREATE INDEX `comments_record` ON `comments` (`record`,`created_at`,`id`) WHERE record IS NOT NULL;
CREATE INDEX `comments_thread` ON `comments` (`thread`) WHERE thread IS NOT NULL;
CREATE TABLE `webhook_responses` (
	`event` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`is_cut` integer NOT NULL,
	PRIMARY KEY(`event`, `webhook`, `number`),
	FOREIGN KEY (`event`,`webhook`,`number`) REFERENCES `webhook_attempts`(`event`,`webhook`,`number`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
INSERT INTO note_search_head (note_search_head, rank) VALUES ('automerge', 0);
INSERT INTO note_search_head (note_search_head, rank) VALUES ('crisismerge', 1900);
INSERT INTO note_search_head (note_search_head, rank) VALUES ('usermerge', 8);
INSERT INTO note_search (note_search, rank) VALUES ('automerge', 0);
INSERT INTO note_search (note_search, rank) VALUES ('crisismerge', 1900);
INSERT INTO note_search (note_search, rank) VALUES ('usermerge', 8);
INSERT INTO tag_search (tag_search, rank) VALUES ('automerge', 4);
INSERT INTO tag_search (tag_search, rank) VALUES ('crisismerge', 1900);
INSERT INTO sqlite_sequence (name, seq) VALUES ('change_epochs', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('webhooks', 0);
