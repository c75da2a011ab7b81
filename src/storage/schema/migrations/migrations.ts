// Written by `bun run migrations`.

import migration0 from '../../../../drizzle/0000_notes.sql' with { type: 'text' }
import migration1 from '../../../../drizzle/0001_records.sql' with { type: 'text' }
import migration2 from '../../../../drizzle/0002_note_order.sql' with { type: 'text' }
import migration3 from '../../../../drizzle/0003_auto_indexes.sql' with { type: 'text' }
import migration4 from '../../../../drizzle/0004_files.sql' with { type: 'text' }
import migration5 from '../../../../drizzle/0005_views.sql' with { type: 'text' }
import migration6 from '../../../../drizzle/0006_presets.sql' with { type: 'text' }
import migration7 from '../../../../drizzle/0007_row_search.sql' with { type: 'text' }
import migration8 from '../../../../drizzle/0008_file_claims.sql' with { type: 'text' }
import migration9 from '../../../../drizzle/0009_webhooks.sql' with { type: 'text' }
import migration10 from '../../../../drizzle/0010_plain_names.sql' with { type: 'text' }
import migration11 from '../../../../drizzle/0011_removal_in_chunks.sql' with { type: 'text' }
import migration12 from '../../../../drizzle/0012_index_tables.sql' with { type: 'text' }
import migration13 from '../../../../drizzle/0013_files_without_text.sql' with { type: 'text' }
import migration14 from '../../../../drizzle/0014_imported_files.sql' with { type: 'text' }
import migration15 from '../../../../drizzle/0015_webhook_attempts.sql' with { type: 'text' }
import migration16 from '../../../../drizzle/0016_change_log.sql' with { type: 'text' }
import migration17 from '../../../../drizzle/0017_sessions.sql' with { type: 'text' }
import migration18 from '../../../../drizzle/0018_deleted_rows.sql' with { type: 'text' }
import migration19 from '../../../../drizzle/0019_links_pending.sql' with { type: 'text' }
import migration20 from '../../../../drizzle/0020_mirror.sql' with { type: 'text' }
import migration21 from '../../../../drizzle/0021_change_undos.sql' with { type: 'text' }
import migration22 from '../../../../drizzle/0022_fewer_delivery_indexes.sql' with { type: 'text' }
import migration23 from '../../../../drizzle/0023_accounts.sql' with { type: 'text' }
import migration24 from '../../../../drizzle/0024_change_undos_undone.sql' with { type: 'text' }
import migration25 from '../../../../drizzle/0025_sign_in.sql' with { type: 'text' }
import migration26 from '../../../../drizzle/0026_sources.sql' with { type: 'text' }
import migration27 from '../../../../drizzle/0027_views_of_rows.sql' with { type: 'text' }
import migration28 from '../../../../drizzle/0028_events_beyond_rows.sql' with { type: 'text' }
import migration29 from '../../../../drizzle/0029_notes_edited.sql' with { type: 'text' }
import migration30 from '../../../../drizzle/0030_access.sql' with { type: 'text' }
import migration31 from '../../../../drizzle/0031_shares.sql' with { type: 'text' }
import migration32 from '../../../../drizzle/0032_mirror_overlay.sql' with { type: 'text' }
import migration33 from '../../../../drizzle/0033_webhook_users.sql' with { type: 'text' }
import migration34 from '../../../../drizzle/0034_search_when_large.sql' with { type: 'text' }
import migration35 from '../../../../drizzle/0035_text_indexes_of_words.sql' with { type: 'text' }
import migration36 from '../../../../drizzle/0036_small_structures.sql' with { type: 'text' }
import migration37 from '../../../../drizzle/0037_many_workspaces.sql' with { type: 'text' }
import migration38 from '../../../../drizzle/0038_mirror_left_out.sql' with { type: 'text' }
import migration39 from '../../../../drizzle/0039_source_bytes.sql' with { type: 'text' }
import migration40 from '../../../../drizzle/0040_native_indexes.sql' with { type: 'text' }
import migration41 from '../../../../drizzle/0041_jobs.sql' with { type: 'text' }
import migration42 from '../../../../drizzle/0042_shared_note_search.sql' with { type: 'text' }
import migration43 from '../../../../drizzle/0043_jobs_of_deletions.sql' with { type: 'text' }
import migration44 from '../../../../drizzle/0044_merging_of_note_search.sql' with { type: 'text' }
import migration45 from '../../../../drizzle/0045_jobs_of_indexing.sql' with { type: 'text' }
import migration46 from '../../../../drizzle/0046_jobs_of_moments.sql' with { type: 'text' }
import migration47 from '../../../../drizzle/0047_ordered_events.sql' with { type: 'text' }
import migration48 from '../../../../drizzle/0048_long_sort_values.sql' with { type: 'text' }
import migration49 from '../../../../drizzle/0049_connected_apps.sql' with { type: 'text' }
import migration50 from '../../../../drizzle/0050_pulled_events.sql' with { type: 'text' }
import migration51 from '../../../../drizzle/0051_original_files.sql' with { type: 'text' }
import migration52 from '../../../../drizzle/0052_links_in_tables.sql' with { type: 'text' }
import migration53 from '../../../../drizzle/0053_words_with_signs.sql' with { type: 'text' }
import migration54 from '../../../../drizzle/0054_source_targets.sql' with { type: 'text' }
import migration55 from '../../../../drizzle/0055_note_aliases.sql' with { type: 'text' }
import migration56 from '../../../../drizzle/0056_links_in_values.sql' with { type: 'text' }
import migration57 from '../../../../drizzle/0057_comments.sql' with { type: 'text' }
import migration58 from '../../../../drizzle/0058_delivery_responses.sql' with { type: 'text' }
import baseline from '../../../../drizzle/baseline/schema.sql' with { type: 'text' }

/** Every migration in order; a database's `user_version` says how many of them it has had. */
export const MIGRATIONS: readonly { name: string; sql: string }[] = [
  { name: '0000_notes', sql: migration0 },
  { name: '0001_records', sql: migration1 },
  { name: '0002_note_order', sql: migration2 },
  { name: '0003_auto_indexes', sql: migration3 },
  { name: '0004_files', sql: migration4 },
  { name: '0005_views', sql: migration5 },
  { name: '0006_presets', sql: migration6 },
  { name: '0007_row_search', sql: migration7 },
  { name: '0008_file_claims', sql: migration8 },
  { name: '0009_webhooks', sql: migration9 },
  { name: '0010_plain_names', sql: migration10 },
  { name: '0011_removal_in_chunks', sql: migration11 },
  { name: '0012_index_tables', sql: migration12 },
  { name: '0013_files_without_text', sql: migration13 },
  { name: '0014_imported_files', sql: migration14 },
  { name: '0015_webhook_attempts', sql: migration15 },
  { name: '0016_change_log', sql: migration16 },
  { name: '0017_sessions', sql: migration17 },
  { name: '0018_deleted_rows', sql: migration18 },
  { name: '0019_links_pending', sql: migration19 },
  { name: '0020_mirror', sql: migration20 },
  { name: '0021_change_undos', sql: migration21 },
  { name: '0022_fewer_delivery_indexes', sql: migration22 },
  { name: '0023_accounts', sql: migration23 },
  { name: '0024_change_undos_undone', sql: migration24 },
  { name: '0025_sign_in', sql: migration25 },
  { name: '0026_sources', sql: migration26 },
  { name: '0027_views_of_rows', sql: migration27 },
  { name: '0028_events_beyond_rows', sql: migration28 },
  { name: '0029_notes_edited', sql: migration29 },
  { name: '0030_access', sql: migration30 },
  { name: '0031_shares', sql: migration31 },
  { name: '0032_mirror_overlay', sql: migration32 },
  { name: '0033_webhook_users', sql: migration33 },
  { name: '0034_search_when_large', sql: migration34 },
  { name: '0035_text_indexes_of_words', sql: migration35 },
  { name: '0036_small_structures', sql: migration36 },
  { name: '0037_many_workspaces', sql: migration37 },
  { name: '0038_mirror_left_out', sql: migration38 },
  { name: '0039_source_bytes', sql: migration39 },
  { name: '0040_native_indexes', sql: migration40 },
  { name: '0041_jobs', sql: migration41 },
  { name: '0042_shared_note_search', sql: migration42 },
  { name: '0043_jobs_of_deletions', sql: migration43 },
  { name: '0044_merging_of_note_search', sql: migration44 },
  { name: '0045_jobs_of_indexing', sql: migration45 },
  { name: '0046_jobs_of_moments', sql: migration46 },
  { name: '0047_ordered_events', sql: migration47 },
  { name: '0048_long_sort_values', sql: migration48 },
  { name: '0049_connected_apps', sql: migration49 },
  { name: '0050_pulled_events', sql: migration50 },
  { name: '0051_original_files', sql: migration51 },
  { name: '0052_links_in_tables', sql: migration52 },
  { name: '0053_words_with_signs', sql: migration53 },
  { name: '0054_source_targets', sql: migration54 },
  { name: '0055_note_aliases', sql: migration55 },
  { name: '0056_links_in_values', sql: migration56 },
  { name: '0057_comments', sql: migration57 },
  { name: '0058_delivery_responses', sql: migration58 },
]

/** The schema after all of them, as one script for new databases. */
export const BASELINE: string = baseline
