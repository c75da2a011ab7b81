// Written by `bun run web-types`.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the service
         * @description 503 while the server stops, or when its storage fails.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics of the server
         * @description Counts since the start and current values of all workspaces of the server, in the text format of Prometheus. It needs the key of an owner; scope `read` is enough.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user, workspace and scope of the key
         * @description A program can check with it which workspace its key opens, and whether it may write.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The workspace and counts of what it holds
         * @description `counts` are exact at the moment of the call; notes in the trash are counted on their own.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search notes
         * @description Without `search` the newest edit comes first; with it, the best match, unless `sort` is given. A tag that does not exist gives an empty list. `content=false` leaves the bodies out.
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Create a note
         * @description Tags that do not exist are created; with `preset` the note begins with what that holds. Property values that are refused do not stop the note: it is created without any of them, and `properties_error` says why.
         */
        post: operations["createNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notes that match a filter tree, newest edit first or ranked by a search
         * @description The newest edit comes first; with `search`, the best match, unless `sort` is given. A tag or a property that does not exist, and an operator that the type does not have, is refused with its place in the tree.
         *
         *     A filter tree is a condition or a group of nodes: at most 4 levels of groups and 50 conditions. The operators of `property` conditions, by the type of the property:
         *
         *     | Property | Operators |
         *     | --- | --- |
         *     | `text`, `select` | `eq` `neq` `contains` `not_contains` `starts_with` `ends_with` `in` `not_in` `empty` `not_empty` |
         *     | `number` | `eq` `neq` `gt` `gte` `lt` `lte` `between` `empty` `not_empty` |
         *     | `date` | `on` `before` `after` `on_or_before` `on_or_after` `between` `within` `empty` `not_empty` |
         *     | `bool` | `eq` `empty` `not_empty` |
         *     | `json` | `has_key` `contains` `empty` `not_empty` |
         *
         *     Those of `field` conditions, and of `tags` conditions:
         *
         *     | Field | Operators |
         *     | --- | --- |
         *     | `title`, `alias` | `eq` `neq` `contains` `not_contains` `starts_with` `ends_with` `in` `not_in` `empty` `not_empty` |
         *     | `created_at`, `updated_at` | `on` `before` `after` `on_or_before` `on_or_after` `between` `within` `empty` `not_empty` |
         *     | `tags` | `has_all` `has_any` `has_none` |
         *
         *     A date is `YYYY-MM-DD` or `{"relative": {"n": -7, "unit": "day"}}`, with the unit `day`, `week`, `month` or `year`. `in` and `not_in` take a list, `between` takes `[low, high]`, `within` a relative date, `empty` and `not_empty` no value. `neq`, `not_in`, `not_contains` and `has_none` also match notes without a value.
         */
        post: operations["queryNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trashed notes, most recently deleted first
         * @description A note stays in the trash for 30 days and is then removed for good.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        /**
         * Delete every note in the trash for good
         * @description Their revisions go with them; their files stay in the workspace. This cannot be undone.
         */
        delete: operations["emptyTrash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/trash/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a note in the trash
         * @description As it was when it was deleted.
         */
        get: operations["getTrashedNote"];
        put?: never;
        post?: never;
        /**
         * Delete a note in the trash for good
         * @description Its revisions go with it; its files stay in the workspace. This cannot be undone.
         */
        delete: operations["purgeNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a note
         * @description A note in the trash is not found here; see `GET /v1/notes/trash`.
         */
        get: operations["getNote"];
        put?: never;
        post?: never;
        /**
         * Put a note into the trash for 30 days
         * @description Links to the note are unresolved and its Quick Access item is gone until it is restored; the item does not come back.
         */
        delete: operations["trashNote"];
        options?: never;
        head?: never;
        /**
         * Change a note; `content` replaces the whole body
         * @description Only what is sent changes; `tags` are added to those the note carries. With `if_unchanged` the call is refused (409) when the note changed since it was read. A new title or content makes a revision. A new title or alias leaves the links of other notes as they are, unless `rewrite_links` is true.
         */
        patch: operations["updateNote"];
        trace?: never;
    };
    "/v1/notes/{id}/append": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add text to the end of a note
         * @description Needs no read before: what is there stays byte for byte. One blank line separates the old text from the new. A heading that is the last one in the note already is not repeated.
         */
        post: operations["appendToNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace one exact passage of a note
         * @description `old_str` must occur exactly once, else nothing changes and the call is refused; the rest of the note stays byte for byte.
         */
        post: operations["editNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a note out of the trash
         * @description Links come back. The alias is kept only if no other note took it meanwhile. A note that is not in the trash is not found.
         */
        post: operations["restoreNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the property values of a note
         * @description Only properties with a value, by key.
         */
        get: operations["getNoteProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set or clear property values, all or none
         * @description An unknown key or a value that does not fit its type refuses the whole call.
         */
        patch: operations["updateNoteProperties"];
        trace?: never;
    };
    "/v1/notes/{id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put tags on a note
         * @description Tags that do not exist are created; tags linked to one of these come along.
         */
        post: operations["addNoteTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/tags/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a tag off a note; the tag itself stays
         * @description A tag that the note does not carry changes nothing; one that does not exist is not found.
         */
        delete: operations["removeNoteTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Outgoing links and backlinks, resolved as of now
         * @description A target is a note id, an alias or a title, ignoring case, and may go on with a heading, as in `[[Title#Heading]]`; `[[#Heading]]` leads to the note itself. Outgoing links are in the order of the text, unresolved ones with `note` null.
         */
        get: operations["getNoteLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/mentions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Notes whose text names this one without a link
         * @description By its title or its alias, as whole words, ignoring case; what is in code or in a link does not count. The newest edit comes first.
         */
        get: operations["listNoteMentions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List earlier versions of a note, newest first
         * @description Every change of title or content leaves a revision of what it replaced, kept for 7 days.
         */
        get: operations["listNoteRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set title and body back to a revision
         * @description The current title and body become a revision, so that this can be undone.
         */
        post: operations["restoreNoteRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files attached to a note, oldest first
         * @description The same objects as `GET /v1/files?note_id=…`.
         */
        get: operations["listNoteFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags by name
         * @description Each with the number of active notes that carry it. A tag is made by writing it on a note.
         */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tag and what uses it
         * @description `used_by` names the views and lenses whose filters name the tag.
         */
        get: operations["getTag"];
        put?: never;
        post?: never;
        /**
         * Take a tag off every note and remove it
         * @description Refused (409) while a filter of a view or the scope of a lens names it; the sentence says which.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        /**
         * Rename, colour or pin a tag
         * @description Notes, views and lenses follow a new name.
         */
        patch: operations["updateTag"];
        trace?: never;
    };
    "/v1/tags/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the tags that come along with a tag
         * @description From now on, and at once on the notes that carry the tag, the linked tags come along, and those linked to them. Taking a link away takes no tag off any note.
         */
        put: operations["setTagLinks"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List property definitions in their order
         * @description By `position`; each with the number of active notes that hold a value.
         */
        get: operations["listProperties"];
        put?: never;
        /**
         * Define a property
         * @description Notes can then hold a value of this type under `key`. Without `position` it goes last.
         */
        post: operations["createProperty"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/properties/{idOrKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a property and what uses it
         * @description `used_by` names the views with the role in which they use it, the presets and the lenses.
         */
        get: operations["getProperty"];
        put?: never;
        post?: never;
        /**
         * Delete a property with its value on every note
         * @description Refused (409) while a view, a preset or a lens uses it; the sentence names them.
         */
        delete: operations["deleteProperty"];
        options?: never;
        head?: never;
        /**
         * Change a property definition
         * @description The type can change only while no note holds a value. Values that are no longer among the `options` stay on their notes and are listed in `stranded_values`.
         */
        patch: operations["updateProperty"];
        trace?: never;
    };
    "/v1/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List presets by name
         * @description Names are ordered ignoring case.
         */
        get: operations["listPresets"];
        put?: never;
        /**
         * Save a preset
         * @description `properties` are the values it sets, `ask` those it asks for when it is applied; no key may be in both. Tags that do not exist are created.
         */
        post: operations["createPreset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presets/{idOrName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a preset
         * @description `asks` has null where no answer is pre-filled.
         */
        get: operations["getPreset"];
        put?: never;
        post?: never;
        /**
         * Delete a preset; notes keep their values
         * @description The tags and values that it wrote onto notes stay.
         */
        delete: operations["deletePreset"];
        options?: never;
        head?: never;
        /**
         * Change a preset; lists are replaced whole
         * @description Only what is sent changes; `tags`, `properties` and `ask` are each replaced whole.
         */
        patch: operations["updatePreset"];
        trace?: never;
    };
    "/v1/presets/{idOrName}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write a preset onto a note; it only adds
         * @description Its text is appended. A value that the note holds is kept unless `overwrite` is true. Questions with neither an answer nor a pre-filled value are listed in `properties_unanswered`. An answer to a key that is not asked for is refused.
         */
        post: operations["applyPreset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List views by creation
         * @description The definitions; the notes of a view are at `GET /v1/views/{id}/notes`.
         */
        get: operations["listViews"];
        put?: never;
        /**
         * Save a view
         * @description Without a filter it shows every note. The operators of `filter` are in the description of `POST /v1/notes/query`.
         */
        post: operations["createView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a view
         * @description `filter_summary` is the filter as a sentence.
         */
        get: operations["getView"];
        put?: never;
        post?: never;
        /**
         * Delete a view; notes are untouched
         * @description Its filter, order and display are gone.
         */
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        /**
         * Change a view
         * @description Only what is sent changes; `filter` and `sort` are each replaced whole, and `filter: null` shows every note.
         */
        patch: operations["updateView"];
        trace?: never;
    };
    "/v1/views/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The notes that a view matches now, in its order
         * @description Evaluated at every call; `content=false` leaves the bodies out. Notes without a value in the property that orders the view come last.
         */
        get: operations["listViewNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List graph lenses by creation
         * @description The lens that is the default has `is_default: true`.
         */
        get: operations["listLenses"];
        put?: never;
        /**
         * Save a graph lens
         * @description Settings that are left out have their defaults. The first lens becomes the default. The operators of `scope` are in the description of `POST /v1/notes/query`.
         */
        post: operations["createLens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lenses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a graph lens
         * @description The lens itself; what it shows is at `GET /v1/lenses/{id}/graph`.
         */
        get: operations["getLens"];
        put?: never;
        post?: never;
        /**
         * Delete a graph lens; the default passes to the next
         * @description When it was the default, the next lens in the order of creation becomes the default, else the first.
         */
        delete: operations["deleteLens"];
        options?: never;
        head?: never;
        /**
         * Change a graph lens
         * @description Only what is sent changes: `settings` are merged one by one, `scope` is replaced whole.
         */
        patch: operations["updateLens"];
        trace?: never;
    };
    "/v1/lenses/{id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The graph that a lens shows now
         * @description Evaluated at every call. The best connected nodes come first; `truncated` says whether nodes or edges were left out.
         */
        get: operations["getLensGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The graph of the default lens; without any lens, of the whole workspace
         * @description Without any lens, the links between all notes.
         */
        get: operations["getGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quick-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pinned notes in their order
         * @description Trashing a note takes its item away.
         */
        get: operations["listQuickAccess"];
        put?: never;
        /**
         * Pin a note to the sidebar
         * @description Without `position` it goes last. A note that is pinned already is refused (409).
         */
        post: operations["createQuickAccessItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quick-access/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unpin a note; the note stays
         * @description `id` is that of the item or of its note; the answer has the item's.
         */
        delete: operations["deleteQuickAccessItem"];
        options?: never;
        head?: never;
        /**
         * Restyle or move a pinned note
         * @description `id` is that of the item or of its note. The items between the old and the new position shift.
         */
        patch: operations["updateQuickAccessItem"];
        trace?: never;
    };
    "/v1/records/structures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List structures by creation
         * @description Each with the number of its live rows.
         */
        get: operations["listStructures"];
        put?: never;
        /**
         * Declare a structure
         * @description Fields are typed; `unique`, `unique_together`, `min`, `max`, `options`, `max_rows` and `immutable` are rules that every write must keep.
         */
        post: operations["createStructure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/structures/{nameOrId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a structure
         * @description By its id or by its name, ignoring case.
         */
        get: operations["getStructure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a structure; once it has had rows, fields are only added, relabelled or hidden
         * @description `fields` is the whole list: once there have been rows it must hold every field, with its type. A field sent again without `label`, `unit`, `hidden`, `unique`, `min`, `max` or `format` keeps them; `multiple` must be sent again.
         */
        patch: operations["updateStructure"];
        trace?: never;
    };
    "/v1/records/structures/{nameOrId}/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a field another type: a new field with its values
         * @description Values are read as `import` reads the cells of a column. The old field is hidden and keeps all of them; what cannot be read stays in it alone. One transaction, of at most 200,000 rows, with the log entries and events of any change of these rows.
         */
        post: operations["convertField"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List views of rows by position
         * @description Of all structures, one after the other, or of one: the shared ones, and your personal ones.
         */
        get: operations["listRowViews"];
        put?: never;
        /**
         * Save a view of the rows of a structure
         * @description A board needs `group_by`, a calendar `date_field`. A structure holds up to 200 views. The operators of `filter` are in the description of `GET /v1/records`.
         */
        post: operations["createRowView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a view of rows
         * @description `GET /v1/records?view=` lists its rows.
         */
        get: operations["getRowView"];
        put?: never;
        post?: never;
        /**
         * Delete a view of rows; the rows are untouched
         * @description A locked one has to be unlocked first.
         */
        delete: operations["deleteRowView"];
        options?: never;
        head?: never;
        /**
         * Change a view of rows
         * @description Only what is sent changes; `filter` and `columns` are each replaced whole. Of a locked view only `locked` can be changed, by its maker or an owner.
         */
        patch: operations["updateRowView"];
        trace?: never;
    };
    "/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List, filter and sort the rows of a structure
         * @description Rows without a value in the field that orders them come last in both directions. With `deleted=true`: the deleted rows, most recently deleted first, which `POST /v1/records/{id}/restore` brings back. A page of more than 64 million characters ends early, with `has_more: true`; `total` and `offset` stay exact.
         *
         *     A filter is a list of conditions `{field, op, value}`, all of which must match. The operators depend on the type of the field:
         *
         *     | Field | Operators |
         *     | --- | --- |
         *     | `text` | `eq` `neq` `contains` `in` `not_in` `is_empty` `not_empty` |
         *     | `number`, `date`, `time`, `datetime` | `eq` `neq` `gt` `gte` `lt` `lte` `in` `not_in` `is_empty` `not_empty` |
         *     | `bool` | `eq` `neq` `is_empty` `not_empty` |
         *     | `select`, `note`, `file`, `record`, `user` | `eq` `neq` `in` `not_in` `is_empty` `not_empty` |
         *     | `multiple` | `has_any` `has_all` `has_none` `is_empty` `not_empty` |
         *     | `created_at`, `updated_at` | `eq` `neq` `gt` `gte` `lt` `lte` |
         *     | `id` | `eq` `neq` `in` `not_in` |
         *     | `*` | `contains` |
         *
         *     A field with several values has the operators of `multiple`; each takes a list of 1 to 100 values. `in` and `not_in` take a list of up to 500 values, `is_empty` and `not_empty` no value. `neq`, `not_in` and `has_none` also match rows without a value. `contains` ignores case. The value `me` of a `user` field, with `eq` or `neq`, is the caller. `*` is the text of all fields of a row. A plain date compared with an instant means that whole UTC day. In the query the list is written as JSON.
         */
        get: operations["listRecords"];
        put?: never;
        /**
         * Write one row or a batch, whole or not at all
         * @description Either `data`, one row, or `rows`, up to 500. When one row is refused nothing is written, and the sentence names the row. With `on_conflict: update` a row that collides in a unique field updates the one it collides with. In a structure with `max_rows: 1` the new row replaces the old.
         */
        post: operations["writeRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The answer of the list, now and after every change
         * @description Server-Sent Events, without end; `GET /v1/records` runs the same query once, and its description has the operators of `filter`. Read the stream with a client that shows what arrives while it arrives:
         *
         *         curl -N -H 'Authorization: Bearer dbk_…' 'http://127.0.0.1:8787/v1/records/watch?structure=Books'
         *
         *     In a browser: `new EventSource('/v1/records/watch?structure=Books&access_token=dbk_…')`. "Try it" on this page shows the first answer and ends the stream.
         *
         *     The data of the events is JSON:
         *
         *     - `answer`: `{structure: {id, name, fields}, records, total, has_more, expanded, changes}`, at once and after changes, which are merged over 250 ms. `expanded` is there with `expand`. `changes` is there with `changes=true`, from the second answer on: `{created, updated, removed}`, records that came into the page, records in it that changed, and the ids of those that left it. An answer equal to the last is not sent.
         *     - `problem`: `{error, code}`; one answer failed, the stream stays open.
         *     - `closed`: `{error, code}`; the stream ends, for `key_revoked`, `key_expired`, `access_changed`, `structure_deleted` or `shutting_down`.
         *
         *     The comment `: alive` comes every 25 seconds. An answer is one line: with `limit=500` it is longer than the 64 KiB that clients which read with Go's `bufio.Scanner` allow by default; give the scanner a larger buffer, or ask for fewer rows. The server ends the stream of a reader with 1 MiB unread. The first answer to a client that comes back with `Last-Event-ID` has `resumed`: `true` when it misses nothing, and then, with `changes=true`, what changed since the answer with that id; `false` when that answer is no longer known, and then `changes` come from the second answer on.
         */
        get: operations["watchRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count, sum, average, least and greatest, per period or per value
         * @description One bucket per period, per value of `by`, or per pair of both; without either exactly one. Weeks begin on Monday. Rows without a date have `period` null and come last. The operators of `filter` are in the description of `GET /v1/records`.
         */
        get: operations["summariseRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rows in columns, one for each value of a field
         * @description The options of the field in their order, then other values in use, ascending, then null; of a `bool` false, true and null. More of a column: `GET /v1/records` with its value, by `eq` or `is_empty`.
         */
        get: operations["readBoard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a row
         * @description `structure_id` says which structure it belongs to. A deleted row is not found.
         */
        get: operations["getRecord"];
        put?: never;
        post?: never;
        /**
         * Delete a row; it can be restored
         * @description Subscriptions receive `record.deleted`. `POST /v1/records/{id}/restore` brings the row back.
         */
        delete: operations["deleteRecord"];
        options?: never;
        head?: never;
        /**
         * Merge values into a row
         * @description Only the keys that are sent are checked and changed. With `if_unchanged` the call is refused (409) when the row changed since it was read. The rows of an immutable structure are never edited.
         */
        patch: operations["updateRecord"];
        trace?: never;
    };
    "/v1/records/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a row, newest first
         * @description Each with its time and author, as far back as the change log reaches; works for deleted rows.
         */
        get: operations["listRecordHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a row back to how it was after a change
         * @description An update like any other, under all rules and with its event. A deleted row is not found: restore it first.
         */
        post: operations["revertRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a deleted row back
         * @description It keeps its `id` and `created_at` and is checked like a new row. Subscriptions receive `record.created`. A row that is not deleted is not found.
         */
        post: operations["restoreRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions by creation
         * @description With `structure` only those of one structure. Secrets are never shown here.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Subscribe to changes of the rows of a structure, of notes or of files
         * @description Deliveries to `url`, and how to verify them, are described under "Webhooks" in this document. `secret` is shown only now. A workspace holds up to 25 subscriptions.
         *
         *     A filter is a list of conditions `{field, op, value}`, all of which must match. The operators depend on the type of the field:
         *
         *     | Field | Operators |
         *     | --- | --- |
         *     | `text` | `eq` `neq` `contains` `in` `not_in` `is_empty` `not_empty` |
         *     | `number`, `date`, `time`, `datetime` | `eq` `neq` `gt` `gte` `lt` `lte` `in` `not_in` `is_empty` `not_empty` |
         *     | `bool` | `eq` `neq` `is_empty` `not_empty` |
         *     | `select`, `note`, `file`, `record`, `user` | `eq` `neq` `in` `not_in` `is_empty` `not_empty` |
         *     | `multiple` | `has_any` `has_all` `has_none` `is_empty` `not_empty` |
         *     | `created_at`, `updated_at` | `eq` `neq` `gt` `gte` `lt` `lte` |
         *     | `id` | `eq` `neq` `in` `not_in` |
         *     | `*` | `contains` |
         *
         *     A field with several values has the operators of `multiple`; each takes a list of 1 to 100 values. `in` and `not_in` take a list of up to 500 values, `is_empty` and `not_empty` no value. `neq`, `not_in` and `has_none` also match rows without a value. `contains` ignores case. The value `me` of a `user` field, with `eq` or `neq`, is the caller. `*` is the text of all fields of a row. A plain date compared with an instant means that whole UTC day.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a subscription
         * @description `status` distinguishes one that is disabled from one that was paused after failures.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription and its deliveries
         * @description Pending deliveries are discarded.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change, enable, disable or resume a subscription
         * @description Only what is sent changes. `resume: true` ends a pause and sends what waits. The operators of `filter` are in the description of `POST /v1/webhooks`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret; the old one stops working at once
         * @description The response contains the new secret, which is shown only once. Deliveries are signed with it from now on.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret; the old one signs too until the overlap ends
         * @description During the overlap each delivery carries the signatures of both secrets, the new one first: `t=…,v1=…,v1=…` and `webhook-signature: v1,… v1,…`. With `overlap_hours` 0 the old secret stops working at once, as do earlier secrets whose overlap has not ended.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook.test event
         * @description Delivered at once, with `record` null (of notes and files `data`), also to a subscription that is disabled or paused.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, the newest first
         * @description Stored for 30 days after the end of a delivery.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the events that a pull subscription keeps, in commit order
         * @description After the last acknowledged one, or after `after`. A page holds at most 8 MiB of events and may end early with `has_more: true`.
         */
        get: operations["listPulledEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/events/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge every event up to a cursor, and remove them
         * @description Repeating it, or an earlier cursor, changes nothing.
         */
        post: operations["acknowledgeEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send every event again whose delivery failed since an instant
         * @description Each is redelivered immediately, also while the subscription is disabled or paused, and with new retries.
         */
        post: operations["recoverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its body and its attempts
         * @description The body is the text that every attempt sends; the attempts are the newest 50, oldest first, over all redeliveries.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the event of a delivery again now
         * @description The delivery and its event keep their ids, and the attempts start again.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shares by creation
         * @description Editors see their own shares, and owners those of all members. Callers who can only read see the shares of objects that they can read, without the URLs.
         */
        get: operations["listShares"];
        put?: never;
        /**
         * Share a note, a view, a view of rows, or a form
         * @description The URL opens without an account. It ends with `expires_at`, with its target, and when its maker is removed or may no longer write the target.
         */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shares/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a share
         * @description How often it was used, and when last, is up to some seconds old.
         */
        get: operations["getShare"];
        put?: never;
        post?: never;
        /**
         * End a share
         * @description Its URL is no longer found.
         */
        delete: operations["deleteShare"];
        options?: never;
        head?: never;
        /**
         * Change a share
         * @description Only what is sent changes; `options` are replaced whole, and `password: null` takes the password away.
         */
        patch: operations["updateShare"];
        trace?: never;
    };
    "/v1/shares/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a share another URL
         * @description The old URL is no longer found.
         */
        post: operations["rotateShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sources by creation
         * @description A source gives an outside service a URL; what it posts is verified and becomes a row.
         */
        get: operations["listSources"];
        put?: never;
        /**
         * Create a URL for an outside service
         * @description Give the service `url`, and here the secret with which it signs. Without a map every event is kept as `unmapped` until there is one. A workspace holds up to 100 sources.
         */
        post: operations["createSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a source
         * @description `counts` says how many calls had each outcome.
         */
        get: operations["getSource"];
        put?: never;
        post?: never;
        /**
         * Delete a source and its events
         * @description Its URL returns 404; the rows stay.
         */
        delete: operations["deleteSource"];
        options?: never;
        head?: never;
        /**
         * Change a source
         * @description Only what is sent changes; `map` and `when` are replaced whole. Its structure and provider stay.
         */
        patch: operations["updateSource"];
        trace?: never;
    };
    "/v1/sources/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a source a new URL
         * @description The old one returns 404 immediately.
         */
        post: operations["rotateSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of events that are passed on, newest first
         * @description Stored for 30 days after the end of a delivery.
         */
        get: operations["listSourceDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pass an event on again now
         * @description Byte for byte, with its original signature. Stripe, Slack and Standard Webhooks accept signatures for five minutes only. Refused once the call is no longer kept.
         */
        post: operations["redeliverSourceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the pause of a target
         * @description Ten failed deliveries in a row pause a target. Its pending deliveries are sent.
         */
        post: operations["resumeSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The calls that were verified, newest first
         * @description With `after` the oldest first. Events are kept for 30 days.
         */
        get: operations["listSourceEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event as it came
         * @description Bytes of the body that are not UTF-8 are shown as U+FFFD.
         */
        get: operations["getSourceEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/events/{eventId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reprocess an event with the current map
         * @description An event that was written is refused.
         */
        post: operations["replaySourceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reprocess all unmapped events
         * @description Oldest first, with the current map.
         */
        post: operations["replaySourceEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the outcome of an event
         * @description Writes nothing. `map` and `when` replace those of the source for the trial.
         */
        post: operations["trySource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/in/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event of an outside service
         * @description The URL of a source, without a key: the raw body is verified as the provider of the source signs it. 200 is sent once the row and the event are on the disk.
         */
        post: operations["receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files, oldest first
         * @description With `note_id` only the files attached to that note. Files come in through the application and the command line.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the names and the text of files, page by page
         * @description A hit is one page; the best match comes first. Words are looked for ignoring case and accents.
         */
        get: operations["searchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file and its sections
         * @description `outline` lists the bookmarks, headings, slides or sheets of a document in their order.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename a file, and the links to it in notes
         * @description The label of every link `[[file:<id>|…]]` in notes is rewritten too, which makes a revision of each of those notes.
         */
        patch: operations["renameFile"];
        trace?: never;
    };
    "/v1/files/{id}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the text of a file, marked by page
         * @description Each page begins with a line `=== page N ===`. Whole pages are returned while they fit into `max_chars`; continue with `next_chunk` as `pages` until it is null. A file that is not `ready` is refused.
         */
        get: operations["getFileText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description The original bytes, always as an attachment; they never change. The `Content-Type` is the `mime_type` of the file. A single range of bytes can be requested, to resume an interrupted download, and `If-None-Match` saves one that is known. More than 512 KiB come without `Content-Length`; `HEAD` and the `size` of the file say how many there are.
         */
        get: operations["getFileContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes in the workspace, in order; also as a stream
         * @description Every write leaves what it changed in this log, in its own transaction. Changes come in the order of commit, and none ever appears before a cursor that was handed out. A transaction of at most `limit` changes is never split over two pages. To follow the log, go on from `cursor` each time, with `wait=60`. To read what happened last, begin with `before=now`, and go on with `before` and the `cursor` of each page.
         *
         *     With `Accept: text/event-stream` the changes come as a stream of Server-Sent Events without end: `event: change`, `id:` the cursor, `data:` the change. A client that comes back with `Last-Event-ID` misses none. The comment `: alive` comes every 25 seconds; `closed` carries `{error, code}` and ends the stream. A client that cannot set headers gives the key as `access_token`.
         *
         *     A cursor that is older than the changes that are kept, or that was handed out after the state of the database that was restored since, is refused with 410 `cursor_expired`: begin again with `GET /v1/changes/snapshot`.
         */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Transactions of the workspace, newest first
         * @description A transaction is one write, such as a batch of records: it is listed once, with how much of what it changed, however large it is. A page may be empty although `has_more` is true, where a filter left out very many changes.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every live object of the workspace, and the place in the log to go on from
         * @description One JSON object a line: first `{"cursor": …}`, then `{"kind", "structure_id", "object"}` for every live object, tags, properties and structures first, and last `{"end": true, "counts": {…}}`. A snapshot without its last line is not complete. Applying the lines, and then every change after the cursor with `include=objects`, gives exactly the workspace.
         */
        get: operations["getSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write changes of many notes and records at once
         * @description Creates, updates and deletes notes and records in one transaction, all of them or none, under all rules and with their events; a note that is deleted comes into the trash. The changes are made in their order, each object once; a value may refer to any row of the call. A refusal names its change and the object. When objects were changed after the `if_unchanged` of theirs, all of them are named (409 `stale`). An id that is taken is refused with 409 `name_taken`.
         */
        post: operations["applyChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back a transaction
         * @description Undoes every change of records and notes of a transaction in one new transaction, under all rules and with its events. Items of Quick Access that went with a note come back; tags that the write made stay. A transaction with changes of other kinds, with a text whose revision is no longer kept, or with more than 20,000 changes is refused. When something was touched since, the call is refused with 409 `stale` and nothing is written; changes that were taken back themselves do not count, so that several transactions are taken back one after the other, the newest first.
         */
        post: operations["undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "record.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A row was written, or restored
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["recordCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "record.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fields of a row changed
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["recordUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "record.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A row was deleted
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["recordDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "record.due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The moment of a row has come
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["recordDue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note was created
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["noteCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note was updated
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["noteUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note was deleted
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["noteDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "note.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note was restored
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["noteRestored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "file.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A file was created
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["fileCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "file.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A file was updated
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["fileUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "file.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A file was deleted
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["fileDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test was asked for
         * @description Sent to the `url` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:
         *
         *     - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 over `<t>.<body>`, keyed with the whole text of the secret.
         *     - [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,<base64>`, the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes whose base64 follows `whsec_`.
         *
         *     While a replaced secret still signs, each of the two has several signatures, the newest first: `t=…,v1=…,v1=…` and `v1,… v1,…`. Accept a delivery of which one signature is right.
         *
         *     Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by `id`, and compare `record.updated_at`. With `ordered`, the events of one object arrive in order, and each has its number in `sequence` and `X-Service-Sequence`.
         */
        post: operations["webhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Error: {
            /**
             * @description A sentence with the reason and the fix.
             * @example There is no such note in this workspace.
             */
            error: string;
            /**
             * @description The machine-readable reason.
             * @example not_found
             * @enum {string}
             */
            code: "invalid_request" | "refused" | "unique_violation" | "max_rows_reached" | "immutable" | "passage_not_found" | "passage_not_unique" | "unauthorized" | "read_only_key" | "mirror" | "owner_required" | "no_access" | "not_found" | "method_not_allowed" | "name_taken" | "in_use" | "precondition_failed" | "cursor_expired" | "stale" | "too_large" | "unsupported_encoding" | "rate_limited" | "uri_too_long" | "internal" | "unavailable";
        };
        Problem: {
            /** @constant */
            type: "about:blank";
            /**
             * @description The phrase of the status.
             * @example Bad Request
             */
            title: string;
            /** @example 400 */
            status: number;
            /**
             * @description The sentence of "error".
             * @example "title" is required.
             */
            detail: string;
            /**
             * @description The machine-readable reason.
             * @example invalid_request
             * @enum {string}
             */
            code: "invalid_request" | "refused" | "unique_violation" | "max_rows_reached" | "immutable" | "passage_not_found" | "passage_not_unique" | "unauthorized" | "read_only_key" | "mirror" | "owner_required" | "no_access" | "not_found" | "method_not_allowed" | "name_taken" | "in_use" | "precondition_failed" | "cursor_expired" | "stale" | "too_large" | "unsupported_encoding" | "rate_limited" | "uri_too_long" | "internal" | "unavailable";
            /** @description The position of a mistake in an expression, in characters from 0. */
            position?: number;
            /** @description One entry for each cause that has a place in the request. */
            errors: {
                /** @example "title" is required. */
                detail: string;
                /**
                 * @description A JSON pointer into the body, as the fragment of a URI, or `#/query/<name>` for a query parameter.
                 * @example #/title
                 */
                pointer: string;
                /** @description The position of the error in the text, in characters from 0. */
                position?: number;
            }[];
        };
        /** @description The body of a delivery about one change. */
        DeliveredEvent: {
            /**
             * Format: uuid
             * @description The same at every attempt; receivers know repetitions by it.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * @example record.updated
             * @enum {string}
             */
            type: "record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted" | "webhook.test";
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            occurred_at: string;
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            workspace_id: string;
            /** @description null for notes and files. */
            structure: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example Books */
                name: string;
            } | null;
            /** @description The whole row after the change, for a deletion the row as it was; null for `webhook.test`. Absent for notes and files. */
            record?: components["schemas"]["Record"] | null;
            /**
             * @description The keys of the fields that moved; empty unless the row was updated.
             * @example [
             *       "pages"
             *     ]
             */
            changed?: string[];
            /**
             * @description The earlier values of the changed fields; null where there was no value.
             * @example {
             *       "pages": 875
             *     }
             */
            previous?: {
                [key: string]: unknown;
            };
            /** @description The note or file, or when the moment of a row came; null for `webhook.test` of notes and files. */
            data?: components["schemas"]["DeliveredData"] | null;
            source: {
                /**
                 * @example api
                 * @enum {string}
                 */
                surface: "web" | "ios" | "chrome" | "mcp" | "api" | "block" | "source" | "form" | "share" | "system";
                /**
                 * Format: uuid
                 * @description The API key that made the change, if one did.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                key_id: string | null;
            };
            /**
             * @description With `ordered`: grows with every event of the subscription.
             * @example 12
             */
            sequence?: number;
        };
        Record: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * @description The values by field key; a field without a value is absent.
             * @example {
             *       "title": "Middlemarch",
             *       "pages": 880,
             *       "status": "read",
             *       "finished": "2026-11-20"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Null while the row lives.
             * @example null
             */
            deleted_at: string | null;
        };
        /**
         * @description A note or a file as it is after the change, or was before a deletion, with what changed; or the moment of a row.
         * @example {
         *       "due_at": "2026-11-21T09:30:00.000Z"
         *     }
         */
        DeliveredData: {
            note?: components["schemas"]["DeliveredNote"];
            file?: components["schemas"]["File"];
            /**
             * @example [
             *       "title"
             *     ]
             */
            changed?: string[];
            /**
             * @example {
             *       "title": "Ada"
             *     }
             */
            previous?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description The moment.
             * @example 2026-11-21T09:30:00.000Z
             */
            due_at?: string;
            /**
             * @description The moment was more than a minute ago, or the server was stopped at it.
             * @constant
             */
            late?: true;
        };
        DeliveredNote: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Meeting with Ada */
            title: string;
            /**
             * @description With `include_content`.
             * @example Ask.
             */
            content?: string;
            /**
             * @example [
             *       "work"
             *     ]
             */
            tags: string[];
            alias: string | null;
            /**
             * @example {
             *       "due": "2026-11-21"
             *     }
             */
            properties: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        File: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example handbook.pdf */
            file_name: string;
            /**
             * Format: uuid
             * @description The note it is attached to, unless that is trashed.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            note_id: string | null;
            /** @example application/pdf */
            mime_type: string;
            /**
             * @description In bytes.
             * @example 48211
             */
            size: number;
            /**
             * @description `ready` when its text can be read, which is empty for what has none, such as a picture; `failed` for a document that could not be read.
             * @example ready
             * @enum {string}
             */
            status: "processing" | "ready" | "failed";
            /**
             * @description How many pages of text it has, once it is ready; 0 for a picture.
             * @example 12
             */
            pages: number | null;
            /**
             * @description Why it failed.
             * @example The file is protected by a password.
             */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        KeyInfo: {
            /**
             * Format: uuid
             * @description The user the key acts as.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            user_id: string;
            /**
             * Format: uuid
             * @description The one workspace the key opens.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            workspace_id: string;
            key: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example first key */
                name: string;
                /**
                 * @description Set when the key is created.
                 * @example write
                 * @enum {string}
                 */
                scope: "write" | "read";
            } | null;
            access?: {
                notes?: string;
                files?: string;
                structures?: Record<string, never>;
            };
        };
        Workspace: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Personal */
            name: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            counts: {
                notes: number;
                trashed_notes: number;
                structures: number;
                records: number;
                tags: number;
                properties: number;
                presets: number;
                views: number;
                lenses: number;
                quick_access: number;
                files: number;
                webhooks: number;
            };
        };
        /** @description A note in a list, with its body unless that is left out. */
        ListedNote: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Meeting with Ada */
            title: string;
            /**
             * @description Absent with `content=false`.
             * @example Ask about [[Engines]].
             */
            content?: string;
            /**
             * @description Tag names, sorted.
             * @example [
             *       "work"
             *     ]
             */
            tags: string[];
            alias: string | null;
            pinned: boolean;
            pin_label: string | null;
            cover_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Grows at every change; what `if_unchanged` is compared with.
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description Only in answers to a search: text around the first hit, as HTML with hits in <mark>.
             * @example Ask about <mark>engines</mark>.
             */
            snippet?: string;
            /**
             * Format: date-time
             * @description Only in answers sorted by it: the last change of title, text, alias, tags or properties by a caller. Consequences of another change, such as a link that a renaming rewrites, do not count.
             * @example 2026-11-21T09:30:00.000Z
             */
            edited_at?: string;
            /**
             * @description Only with `excerpt=true`: up to 200 characters of the text without markup.
             * @example Ask about Engines.
             */
            excerpt?: string;
        };
        Note: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Meeting with Ada */
            title: string;
            /** @example Ask about [[Engines]]. */
            content: string;
            /**
             * @description Tag names, sorted.
             * @example [
             *       "work"
             *     ]
             */
            tags: string[];
            alias: string | null;
            pinned: boolean;
            pin_label: string | null;
            cover_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Grows at every change; what `if_unchanged` is compared with.
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description Only in answers to a search: text around the first hit, as HTML with hits in <mark>.
             * @example Ask about <mark>engines</mark>.
             */
            snippet?: string;
        };
        /**
         * @description A condition on tags, a property or a field, or a group of nodes: at most 4 levels of groups and 50 conditions.
         * @example {
         *       "type": "group",
         *       "match": "all",
         *       "children": [
         *         {
         *           "type": "field",
         *           "field": "title",
         *           "op": "contains",
         *           "value": "meeting"
         *         },
         *         {
         *           "type": "field",
         *           "field": "updated_at",
         *           "op": "within",
         *           "value": {
         *             "relative": {
         *               "n": -7,
         *               "unit": "day"
         *             }
         *           }
         *         }
         *       ]
         *     }
         */
        FilterTree: components["schemas"]["FilterGroup"] | components["schemas"]["TagsCondition"] | components["schemas"]["PropertyCondition"] | components["schemas"]["FieldCondition"];
        /** @description The nodes of the group; an empty `any` matches nothing. */
        FilterGroup: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "group";
            /**
             * @description How many of the children must match.
             * @enum {string}
             */
            match: "all" | "any" | "none";
            children: components["schemas"]["FilterTree"][];
        };
        /** @description A condition on the tags of a note. */
        TagsCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tags";
            /** @enum {string} */
            op: "has_all" | "has_any" | "has_none";
            /**
             * @description Ids of tags.
             * @example [
             *       1
             *     ]
             */
            tag_ids: number[];
        };
        /** @description A condition on the value of a property. */
        PropertyCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "property";
            /**
             * @description The id of a property, whose type determines the operators.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            def_id: string;
            /** @enum {string} */
            op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with" | "in" | "not_in" | "empty" | "not_empty" | "gt" | "gte" | "lt" | "lte" | "between" | "on" | "before" | "after" | "on_or_before" | "on_or_after" | "within" | "has_key";
            /** @description The operand. A date is YYYY-MM-DD or {relative: {n, unit}} with the unit day, week, month or year; `in` and `not_in` take a list, `between` [low, high], `empty` and `not_empty` nothing. */
            value?: unknown;
        };
        /** @description A condition on a field of the note itself. */
        FieldCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "field";
            /**
             * @description Title and alias have the operators of a text, the others those of a date, by UTC day.
             * @enum {string}
             */
            field: "title" | "alias" | "created_at" | "updated_at";
            /** @enum {string} */
            op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with" | "in" | "not_in" | "empty" | "not_empty" | "gt" | "gte" | "lt" | "lte" | "between" | "on" | "before" | "after" | "on_or_before" | "on_or_after" | "within" | "has_key";
            /** @description The operand. A date is YYYY-MM-DD or {relative: {n, unit}} with the unit day, week, month or year; `in` and `not_in` take a list, `between` [low, high], `empty` and `not_empty` nothing. */
            value?: unknown;
        };
        TrashedNote: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Old plan */
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            deleted_at: string;
        };
        /** @description The title and body that an edit replaced; kept for 7 days. */
        Revision: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * Format: date-time
             * @description When the edit happened that replaced this version.
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * @description From where the edit came.
             * @example api
             */
            surface: string;
            /** @example Meeting with Ada */
            title: string;
            /** @example Ask about */
            content: string;
        };
        Tag: {
            /** @example 1 */
            id: number;
            /** @example work */
            name: string;
            /** @example #1E90FF */
            color: string | null;
            is_pinned: boolean;
            /**
             * @description How many active notes carry it.
             * @example 3
             */
            note_count: number;
            /** @description Tags that come along onto every note carrying this one. */
            linked_tags: {
                /** @example 2 */
                id: number;
                /** @example project */
                name: string;
            }[];
        };
        Property: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example status */
            key: string;
            /**
             * @example select
             * @enum {string}
             */
            type: "text" | "number" | "date" | "bool" | "select" | "json";
            /**
             * @description The key when none was given.
             * @example Status
             */
            label: string;
            /**
             * @description For `select`.
             * @example [
             *       "open",
             *       "done"
             *     ]
             */
            options: string[] | null;
            /**
             * @description From 0, without gaps.
             * @example 0
             */
            position: number;
            is_pinned: boolean;
            /**
             * @description How many active notes hold a value.
             * @example 3
             */
            notes_with_value: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A named set of tags and property values to write onto a note. */
        Preset: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Meeting */
            name: string;
            /**
             * @description Tag names, sorted.
             * @example [
             *       "work"
             *     ]
             */
            tags: string[];
            /** @description The values it sets. */
            properties: {
                /** @example status */
                key: string;
                /**
                 * @description null for none.
                 * @example open
                 */
                value: unknown;
            }[];
            /** @description The values it asks for; null where no answer is pre-filled. */
            asks: {
                /** @example status */
                key: string;
                /**
                 * @description null for none.
                 * @example open
                 */
                value: unknown;
            }[];
            /**
             * @description The text that it appends to a note, with its holes; absent where it has none.
             * @example ## {{date}}
             */
            content?: string;
            /** @example book */
            icon: string | null;
            /** @example #1E90FF */
            color: string | null;
            is_pinned: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A saved filter, evaluated at every read. */
        View: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Open work */
            name: string;
            /** @description null for every note. */
            filter: components["schemas"]["FilterTree"] | null;
            /**
             * @description The filter as a sentence.
             * @example tagged "work" and status is "open"
             */
            filter_summary: string;
            /**
             * @description Notes without a value come last in both directions.
             * @example {
             *       "field": "updated_at",
             *       "direction": "desc"
             *     }
             */
            sort: {
                /**
                 * @example updated_at
                 * @enum {string}
                 */
                field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                /**
                 * @example desc
                 * @enum {string}
                 */
                direction: "asc" | "desc";
                /**
                 * @description The key of a property, with the field `property` alone.
                 * @example due
                 */
                property?: string;
            };
            display: {
                /** @description The properties on a card, in order. */
                properties: {
                    /**
                     * Format: uuid
                     * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                     */
                    id: string;
                    /** @example due */
                    key: string;
                    /** @example Due */
                    label: string;
                    /** @example date */
                    type: string;
                }[];
                show_tags: boolean;
            };
            /**
             * @description Their keys.
             * @example [
             *       "due"
             *     ]
             */
            display_properties: string[];
            show_tags: boolean;
            is_pinned: boolean;
            /** @description At most one view is the default. */
            is_default: boolean;
            /** @example book */
            icon: string | null;
            /** @example #1E90FF */
            color: string | null;
            /** @example https://example.com/cover.png */
            cover_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description Saved settings of the graph of notes. */
        Lens: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Work */
            name: string;
            /** @description null for the whole workspace. */
            scope: components["schemas"]["FilterTree"] | null;
            settings: {
                layers: {
                    /**
                     * @description Links between notes.
                     * @example true
                     */
                    links: boolean;
                    /** @description Tags as nodes, joined to the notes that carry them. */
                    tags: boolean;
                };
                nodes: {
                    /**
                     * @description Notes without any edge.
                     * @example true
                     */
                    orphans: boolean;
                    /** @description Targets of links that mean no note, as nodes. */
                    dangling: boolean;
                };
                look: {
                    /** @example true */
                    arrows: boolean;
                    /**
                     * @example zoom
                     * @enum {string}
                     */
                    titles: "zoom" | "always" | "never";
                };
            };
            /**
             * @description One lens always is, while there are any.
             * @example true
             */
            is_default: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A note pinned to the sidebar; independent of its own `pinned`. */
        QuickAccessItem: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * Format: uuid
             * @description The note that is pinned.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            note_id: string;
            /**
             * @description The title of the note.
             * @example Meeting with Ada
             */
            title: string;
            /** @example book */
            icon: string | null;
            /** @example #1E90FF */
            color: string | null;
            icon_filled: boolean;
            /**
             * @description From 0, without gaps.
             * @example 0
             */
            position: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
        };
        Structure: {
            /**
             * Format: uuid
             * @description Never changes; use it in anything long-lived.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Books */
            name: string;
            /** @example Books I have read */
            description: string | null;
            fields: components["schemas"]["Field"][];
            /** @example title */
            label_field: string | null;
            /**
             * @example [
             *       [
             *         "title",
             *         "author"
             *       ]
             *     ]
             */
            unique_together: string[][];
            /** @description 1 makes a settings object. */
            max_rows: number | null;
            immutable: boolean;
            /**
             * @description Absent without one.
             * @example book
             */
            icon?: string;
            /**
             * @description Absent without one.
             * @example #1E90FF
             */
            color?: string;
            /**
             * @description Live rows; absent for who may not read them.
             * @example 12
             */
            record_count: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        Field: {
            /** @example due */
            key: string;
            /**
             * @example date
             * @enum {string}
             */
            type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
            /**
             * @description For `formula`.
             * @example {price} * {count}
             */
            expression?: string;
            /**
             * @description The type of the values of a `formula`.
             * @example number
             * @enum {string}
             */
            result?: "text" | "number" | "bool" | "date" | "datetime";
            /** @description For `rollup`. */
            via?: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                structure: string;
                field: string;
            };
            /** @enum {string} */
            function?: "count" | "sum" | "average" | "min" | "max";
            field?: string;
            /**
             * @description While the values of existing rows are computed.
             * @constant
             */
            computing?: true;
            /**
             * @description The key when none was given.
             * @example Due
             */
            label: string;
            required: boolean;
            /**
             * @description For display.
             * @example kg
             */
            unit: string | null;
            hidden: boolean;
            unique: boolean;
            /**
             * @description Least number or day, or fewest characters of a text.
             * @example 0
             */
            min: number | string | null;
            /**
             * @description Greatest number or day, or most characters of a text.
             * @example 0
             */
            max: number | string | null;
            /** @description For `select`. */
            options: string[] | null;
            /**
             * Format: uuid
             * @description For `record`: the structure whose rows it names.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            structure: string | null;
            format?: {
                /**
                 * @description For `number`: plain, grouped, percent, currency; for `text`: url, email, phone, long.
                 * @example currency
                 * @enum {string}
                 */
                style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                /**
                 * @description Digits after the decimal point.
                 * @example 2
                 */
                decimals?: number;
                /**
                 * @description With the style `currency`.
                 * @example EUR
                 */
                currency?: string;
            };
            /**
             * @description A value is an array.
             * @constant
             */
            multiple?: true;
        };
        /** @description A saved selection of the rows of a structure, with its layout. */
        RowView: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            structure_id: string;
            /** @example Open */
            name: string;
            /**
             * @example board
             * @enum {string}
             */
            kind: "table" | "board" | "calendar";
            /**
             * @example [
             *       {
             *         "field": "status",
             *         "op": "neq",
             *         "value": "read"
             *       }
             *     ]
             */
            filter: components["schemas"]["RecordCondition"][];
            search: string | null;
            /**
             * @description A field key, `created_at` or `updated_at`.
             * @example finished
             */
            sort: string | null;
            /**
             * @example desc
             * @enum {string|null}
             */
            direction: "asc" | "desc" | null;
            /** @description In their order; null for all fields. */
            columns: {
                /** @example title */
                key: string;
                width?: number;
            }[] | null;
            /**
             * @description A `select` or `bool` field.
             * @example status
             */
            group_by: string | null;
            /**
             * @description A `date` or `datetime` field.
             * @example finished
             */
            date_field: string | null;
            /** @description A field of the type of `date_field`. */
            end_field: string | null;
            /** @description Whether its owner alone sees it. */
            personal: boolean;
            locked: boolean;
            /** @description The user who created it; null once that user is removed. */
            owner: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example Ada */
                name: string;
            } | null;
            /**
             * @description Among the views of the structure, from 0.
             * @example 0
             */
            position: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A condition on a row. */
        RecordCondition: {
            /**
             * @description A field key, `id`, `created_at`, `updated_at` or `*`.
             * @example pages
             */
            field: string;
            /**
             * @example gt
             * @enum {string}
             */
            op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "contains" | "in" | "not_in" | "is_empty" | "not_empty" | "has_any" | "has_all" | "has_none";
            /**
             * @description Omitted with `is_empty` and `not_empty`.
             * @example 500
             */
            value?: unknown;
        };
        /** @description One row. */
        WriteRow: {
            /**
             * @description The id or the name of a structure.
             * @example Books
             */
            structure: string;
            /**
             * @description The values by field key.
             * @example {
             *       "title": "Middlemarch",
             *       "pages": 880,
             *       "status": "read",
             *       "finished": "2026-11-20"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description How to treat a row that collides with another; `refuse` unless given.
             * @enum {string}
             */
            on_conflict?: "refuse" | "update";
        };
        /** @description A batch of rows. */
        WriteRows: {
            /**
             * @description The id or the name of a structure.
             * @example Books
             */
            structure: string;
            /** @description Several rows, written whole or not at all. */
            rows: {
                /**
                 * @description The values by field key.
                 * @example {
                 *       "title": "Middlemarch",
                 *       "pages": 880,
                 *       "status": "read",
                 *       "finished": "2026-11-20"
                 *     }
                 */
                data: {
                    [key: string]: unknown;
                };
            }[];
            /**
             * @description How to treat a row that collides with another; `refuse` unless given.
             * @enum {string}
             */
            on_conflict?: "refuse" | "update";
        };
        Bucket: {
            /**
             * @description The first day of the period; null without one, and outside the years 0001 to 9999.
             * @example 2026-11-01
             */
            period: string | null;
            /**
             * @description The value of `by`.
             * @example open
             */
            value: string | number | boolean | null;
            /**
             * @description Rows.
             * @example 2
             */
            count: number;
            /**
             * @description Over rows with a value in `field`; 0 when there are none.
             * @example 3
             */
            sum: number | null;
            /**
             * @description Over rows with a value in `field`.
             * @example 3
             */
            average: number | null;
            /**
             * @description Over rows with a value in `field`.
             * @example 3
             */
            min: number | null;
            /**
             * @description Over rows with a value in `field`.
             * @example 3
             */
            max: number | null;
        };
        BoardColumn: {
            /** @example open */
            value: string | boolean | null;
            /**
             * @description Rows of the column, exactly.
             * @example 1
             */
            total: number;
            records: components["schemas"]["Record"][];
            /** @example false */
            has_more: boolean;
        };
        Version: {
            /**
             * @description Opaque.
             * @example 5d0c7e91ab34-2s
             */
            cursor: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            at: string;
            /**
             * @description A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.
             * @example updated
             * @enum {string}
             */
            op: "created" | "updated" | "deleted" | "restored" | "purged";
            /**
             * @description For an update: the changed attributes, or field keys of a record.
             * @example [
             *       "status"
             *     ]
             */
            changed: string[];
            /**
             * @description Their old values, null for none. The old text of a note is in its revisions; old secrets are not shown.
             * @example {
             *       "status": "open"
             *     }
             */
            previous: Record<string, never>;
            actor: components["schemas"]["Actor"];
        };
        /** @description The author of a change: the key, or else the user. `name` is the name of the key, else of the user, at that time. The command line has the name `command line`, the server itself the surface `system`. */
        Actor: {
            /** @example api */
            surface: string;
            user_id: string | null;
            key_id: string | null;
            /** @example laptop */
            name: string | null;
        };
        /** @description A subscription to changes of the rows of one structure, of notes or of files. */
        Webhook: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * @description The kind of objects that the events are about; `record` unless given.
             * @example record
             * @enum {string}
             */
            kind?: "record" | "note" | "file";
            /** @description null for notes and files. */
            structure: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example Books */
                name: string;
            } | null;
            /**
             * @description Events are not sent, but kept until `POST …/events/ack` acknowledges them: at most 30 days and 1,000,000. Without `url`, `headers` and a `format` other than `json`. It never pauses. Set at creation.
             * @example pull
             * @enum {string}
             */
            delivery?: "pull";
            /**
             * @description With `pull`: the events that it keeps.
             * @example 12
             */
            pending?: number;
            /**
             * Format: date-time
             * @description With `pull`: when the oldest of them was stored.
             * @example 2026-11-21T09:30:00.000Z
             */
            oldest_pending_at?: string | null;
            /**
             * @description With `pull`: the events that age or the limit removed.
             * @example 0
             */
            dropped?: number;
            /**
             * @description null with `pull`.
             * @example https://hooks.example.com/books
             */
            url: string | null;
            /**
             * @description The format of the events; `json` by default. `slack` and `discord` are the JSON that these services accept, `ntfy` and `text` are plain text. All are signed.
             * @example json
             * @enum {string}
             */
            format?: "json" | "slack" | "discord" | "ntfy" | "text";
            /**
             * @description The text of the other formats, with holes: `{event}`, `{structure}`, `{changed}`, `{record.<field>}`, of a note `{note.title}`, of a file `{file.file_name}`. A value that is absent is empty.
             * @example {event}: {record.title}
             */
            template?: string;
            /**
             * @example [
             *       "record.created"
             *     ]
             */
            events: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
            due?: components["schemas"]["WebhookDue"];
            /**
             * @description Updates of a note that are less than this apart become one event; 30 by default. It is sent after ten times as long at the latest, and not at all if nothing differs in the end.
             * @example 30
             */
            quiet_seconds?: number;
            /**
             * @description Whether events of notes include the text.
             * @example false
             */
            include_content?: boolean;
            /**
             * @description Events of one object (row, note or file) are delivered one at a time in commit order. Each has `sequence`, a number that grows with every event of the subscription. Applies to what is committed from then on.
             * @example true
             */
            ordered?: boolean;
            /**
             * @description Conditions on rows; of notes a filter tree, or null for every note.
             * @example [
             *       {
             *         "field": "pages",
             *         "op": "gt",
             *         "value": 500
             *       }
             *     ]
             */
            filter: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
            /**
             * @description null for every field.
             * @example [
             *       "pages"
             *     ]
             */
            fields: string[] | null;
            ignore_own_key: boolean;
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            ignore_key_id: string | null;
            /** @example Tells the shelf */
            description: string | null;
            /**
             * @description The names of its own headers, each with a mask for its value; absent when there are none.
             * @example {
             *       "Authorization": "…"
             *     }
             */
            headers?: Record<string, never>;
            enabled: boolean;
            /**
             * @description Ten failed deliveries in a row pause a subscription, as does the end of the right of its maker; `resume` ends the pause.
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled" | "paused";
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            paused_at: string | null;
            /**
             * @description The reason of a pause that failed deliveries did not cause: the member who created or resumed it can no longer write its target.
             * @example The member who created it can no longer write its target.
             */
            pause_reason?: string;
            /**
             * @description Deliveries of record events that failed since the last one that was delivered.
             * @example 0
             */
            consecutive_failures: number;
            /**
             * Format: uuid
             * @description The API key that created it.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            created_by_key_id: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description When a row is due. `record.due` is sent once for each value. */
        WebhookDue: {
            /**
             * @description A field of type `date` or `datetime`.
             * @example due
             */
            field: string;
            /**
             * @description How many days after the value, or before it; 0 unless given.
             * @example -1
             */
            offset_days?: number;
            /**
             * @description The time of day, of a `date` only; 08:00 unless given. Must be a time of day in the format HH:MM.
             * @example 08:00
             */
            at?: string;
            /**
             * @description The time zone of that time; UTC unless given. Must be an IANA time zone such as Europe/Berlin.
             * @example Europe/Berlin
             */
            tz?: string;
        };
        /** @description The delivery of one event to one subscription. */
        Delivery: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            webhook_id: string;
            /**
             * Format: uuid
             * @description The same at every attempt; receivers know repetitions by it.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            event_id: string;
            /**
             * @example record.created
             * @enum {string}
             */
            event: "record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted" | "webhook.test";
            /**
             * Format: uuid
             * @description null for `webhook.test`, notes and files.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            record_id: string | null;
            /**
             * Format: uuid
             * @description Of a note or file; null for `webhook.test`.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            object_id?: string | null;
            /**
             * @description The number of its event in an ordered subscription.
             * @example 12
             */
            sequence?: number;
            /**
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description Since it was created or last redelivered.
             * @example 1
             */
            attempts: number;
            /**
             * @description The status of the last response; null without one.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description Why the last attempt failed.
             * @example The receiver answered 503.
             */
            error: string | null;
            /**
             * Format: date-time
             * @description null once it is delivered or failed, and while it waits for an earlier event of its object.
             * @example 2026-11-21T09:30:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            delivered_at: string | null;
        };
        /** @description One request that carried a delivery. */
        Attempt: {
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            at: string;
            /**
             * @description The status of the response; null without one.
             * @example 503
             */
            response_status: number | null;
            /**
             * @description null when it was delivered.
             * @example The receiver answered 503.
             */
            error: string | null;
            /**
             * @description How long the attempt took, in milliseconds.
             * @example 41
             */
            ms: number;
        };
        /** @description Shows one thing, or asks one thing, without an account. */
        Share: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * @example note
             * @enum {string}
             */
            kind: "note" | "view" | "row_view" | "form";
            /**
             * Format: uuid
             * @description Of the note, the view, the view of rows; of a form that of the structure.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            target_id: string;
            /** @example For the printers */
            name: string | null;
            /**
             * @description null for callers who cannot write.
             * @example https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw
             */
            url: string | null;
            options: {
                [key: string]: unknown;
            };
            /** @example false */
            has_password: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            expires_at: string | null;
            created_by: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example Ada */
                name: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description How many pages were shown.
             * @example 12
             */
            uses: number;
        };
        /** @description A URL at which an outside service posts events that become rows. */
        Source: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /** @example Card payments */
            name: string;
            structure: {
                /**
                 * Format: uuid
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                id: string;
                /** @example Books */
                name: string;
            };
            /**
             * @example stripe
             * @enum {string}
             */
            provider: "stripe" | "github" | "standard" | "shopify" | "slack" | "hmac" | "basic" | "bearer" | "none";
            /** @example {} */
            options: {
                [key: string]: unknown;
            };
            /**
             * @description null for callers who cannot write.
             * @example https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b
             */
            url: string | null;
            /**
             * @example {
             *       "title": "/data/object/description",
             *       "pages": {
             *         "path": "/data/object/amount",
             *         "as": "cents"
             *       }
             *     }
             */
            map: {
                [key: string]: unknown;
            };
            /**
             * @description null where the provider says where it is.
             * @example /id
             */
            external_id: string | null;
            /**
             * @description null where the provider says where it is.
             * @example /type
             */
            event: string | null;
            /**
             * @description Conditions `{path | header | event: true, op, value}`; all must hold.
             * @example [
             *       {
             *         "event": true,
             *         "op": "eq",
             *         "value": "charge.succeeded"
             *       }
             *     ]
             */
            when: {
                [key: string]: unknown;
            }[];
            /**
             * @example refuse
             * @enum {string}
             */
            on_conflict: "refuse" | "update";
            /** @example paid_at */
            newer_by: string | null;
            /** @description Where its events are passed on to; absent until it is given. */
            forward?: {
                /**
                 * @description null for callers who cannot write.
                 * @example https://books.example.com/stripe
                 */
                url: string | null;
                /**
                 * @description Conditions `{path | header | event: true, op, value}`; all must hold.
                 * @example [
                 *       {
                 *         "event": true,
                 *         "op": "eq",
                 *         "value": "charge.succeeded"
                 *       }
                 *     ]
                 */
                when?: {
                    [key: string]: unknown;
                }[];
                /**
                 * @example enabled
                 * @enum {string}
                 */
                status: "enabled" | "paused";
                /**
                 * Format: date-time
                 * @example 2026-11-21T09:30:00.000Z
                 */
                paused_at: string | null;
                /** @example 0 */
                consecutive_failures: number;
            }[];
            enabled: boolean;
            /** @example Live mode */
            description: string | null;
            counts: {
                /** @example 0 */
                written: number;
                /** @example 0 */
                updated: number;
                /** @example 0 */
                duplicate: number;
                /** @example 0 */
                ignored: number;
                /** @example 0 */
                stale: number;
                /** @example 0 */
                unmapped: number;
                /** @example 0 */
                rejected: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            last_event_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description The delivery of one event of a source to one target. */
        SourceDelivery: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            source_id: string;
            /**
             * @description null for callers who cannot write.
             * @example https://books.example.com/stripe
             */
            url: string | null;
            /**
             * Format: uuid
             * @description The event of the source.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            event_id: string;
            /**
             * @description Its type.
             * @example charge.succeeded
             */
            event: string | null;
            /**
             * Format: uuid
             * @description The row that was written.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            record_id: string | null;
            /**
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @example 1 */
            attempts: number;
            /** @example 200 */
            response_status: number | null;
            /**
             * @description Why the last attempt failed.
             * @example target removed
             */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            delivered_at: string | null;
        };
        /** @description A call that was verified and stored. */
        SourceEvent: {
            /**
             * Format: uuid
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            id: string;
            /**
             * @description The id that the provider gave it.
             * @example evt_1NG8Du2eZvKYlo2CUI79vXWy
             */
            external_id: string | null;
            /**
             * @description Its type.
             * @example charge.succeeded
             */
            event: string | null;
            /**
             * @example written
             * @enum {string}
             */
            status: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
            /**
             * Format: uuid
             * @description The row that was written.
             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
             */
            record_id: string | null;
            /** @description Why there is no row. */
            error: string | null;
            /**
             * @description Of the body as it came, in bytes.
             * @example 1204
             */
            size: number;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            received_at: string;
        };
        Change: {
            /**
             * @description Opaque.
             * @example 5d0c7e91ab34-2s
             */
            cursor: string;
            /**
             * @description The same for all changes of one write.
             * @example 5d0c7e91ab34-2s
             */
            transaction: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            at: string;
            /**
             * @example record
             * @enum {string}
             */
            kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share";
            /**
             * @description A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.
             * @example updated
             * @enum {string}
             */
            op: "created" | "updated" | "deleted" | "restored" | "purged";
            /** @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 */
            id: string | number;
            /** @description Of records, webhooks, views of rows and structures. */
            structure_id: string | null;
            /**
             * @description For an update: the changed attributes, or field keys of a record.
             * @example [
             *       "status"
             *     ]
             */
            changed: string[];
            /**
             * @description Their old values, null for none. The old text of a note is in its revisions; old secrets are not shown.
             * @example {
             *       "status": "open"
             *     }
             */
            previous: Record<string, never>;
            actor: components["schemas"]["Actor"];
            /** @description With `include=objects`: the object as it is read alone, now; null when it is gone, trashed or deleted. */
            object?: Record<string, never> | null;
        };
        Transaction: {
            /**
             * @description The value that `undo` takes.
             * @example 5d0c7e91ab34-2s
             */
            transaction: string;
            /**
             * @description The cursor of its last change.
             * @example 5d0c7e91ab34-2s
             */
            cursor: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:30:00.000Z
             */
            at: string;
            actor: components["schemas"]["Actor"];
            /** @description Everything that it changed, also what a filter does not name. */
            counts: {
                /**
                 * @example record
                 * @enum {string}
                 */
                kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share";
                /**
                 * @description A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.
                 * @example updated
                 * @enum {string}
                 */
                op: "created" | "updated" | "deleted" | "restored" | "purged";
                /** @description Of records, webhooks, views of rows and structures. */
                structure_id: string | null;
                /**
                 * @description How many changes, exactly.
                 * @example 500
                 */
                n: number;
            }[];
            /** @description The first five. */
            objects: {
                /**
                 * @example record
                 * @enum {string}
                 */
                kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share";
                /**
                 * @description A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.
                 * @example updated
                 * @enum {string}
                 */
                op: "created" | "updated" | "deleted" | "restored" | "purged";
                /** @description Of records, webhooks, views of rows and structures. */
                structure_id: string | null;
                /** @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 */
                id: string | number;
                /**
                 * @description The current label: the title of a note, the label field of a record, the key of a property, the name of a file, else the name; null without one.
                 * @example Tea with Ada
                 */
                label: string | null;
            }[];
            /**
             * @description The transaction that took it back, unless that was taken back itself.
             * @example 5d0c7e91ab34-2s
             */
            undone_by: string | null;
        };
    };
    responses: {
        /** @description The request is malformed or breaks a rule; the sentence says what to change. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No API key, or one that is unknown, revoked or expired. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key or its user may not write, or has no access to this content; or the server is a read-only copy of another. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not in this workspace, or in the trash, or deleted. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A name is taken, something depends on the object, or it changed since it was read. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The cursor of the change log has expired; copy the workspace again. */
        Expired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The current `ETag` of the object is not in `If-Match`; nothing was written. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than 10 MiB. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body has a `Content-Encoding` other than `identity`. */
        UnsupportedEncoding: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests or watched queries with this key, or too many failed keys from this address. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The URL is longer than 65,536 bytes. */
        UriTooLong: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service failed. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server is stopping, is too busy with large queries, or its storage is full or locked; nothing was written. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
        "Idempotency-Key": string;
        /** @description The `id` of the last event that was received; a browser sends it when it reconnects. */
        "Last-Event-ID": string;
        /**
         * @description A single range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-512`. Any other is ignored.
         * @example bytes=0-1023
         */
        Range: string;
        /**
         * @description The `ETag` of the partial copy that the range continues; if it differs, all bytes are sent.
         * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
         */
        "If-Range": string;
        /**
         * @description The `ETag` of a copy; if it is current, nothing is sent (304).
         * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
         */
        "If-None-Match": string;
        /**
         * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
         * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
         */
        "If-Match": string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of this request in the log of the server; include it when you report a failure. */
        "X-Request-Id": string;
        /** @description Seconds after which the call may succeed. */
        "Retry-After": number;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
        /** @description `true` if this is the saved response to an earlier call with the same `Idempotency-Key`. */
        "Idempotent-Replayed": "true";
        /** @description Identifies this state of the content; for `If-None-Match`, `If-Match` and `If-Range`. */
        ETag: string;
        /** @description Always `attachment`, with the name of the file. */
        "Content-Disposition": string;
        /** @description Byte ranges are supported. */
        "Accept-Ranges": "bytes";
        /** @description The range and the total size; `bytes *\/<size>` if the range begins beyond the end. */
        "Content-Range": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "backup": "failed",
                     *       "log": "growing"
                     *     }
                     */
                    "application/json": {
                        /** @example ok */
                        status: string;
                        /**
                         * @description `failed` after a backup or a drill of the server itself failed, until the next one succeeds; `stale` while a place for backups has had no successful one for three intervals, or with `--backup-stream` lacks a commit that is over 60 seconds old.
                         * @enum {string}
                         */
                        backup?: "failed" | "stale";
                        /**
                         * @description Present with `--checkpoint off` while the write-ahead log is longer than 64 MiB, or was written to for 10 minutes without a complete checkpoint.
                         * @constant
                         */
                        log?: "growing";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # TYPE daybook_watches gauge
                     *     daybook_watches 3
                     */
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *       "key": null,
                     *       "access": {
                     *         "notes": "text",
                     *         "files": "text",
                     *         "structures": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeyInfo"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Personal",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "counts": {
                     *           "notes": 0,
                     *           "trashed_notes": 0,
                     *           "structures": 0,
                     *           "records": 0,
                     *           "tags": 0,
                     *           "properties": 0,
                     *           "presets": 0,
                     *           "views": 0,
                     *           "lenses": 0,
                     *           "quick_access": 0,
                     *           "files": 0,
                     *           "webhooks": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        workspace: components["schemas"]["Workspace"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNotes: {
        parameters: {
            query?: {
                /** @description Full-text search: words are ANDed, "a phrase" keeps order, word* is a prefix, -word excludes. */
                search?: string;
                /** @description With `search`: `any` finds notes with at least one of the words, those with most words first; `prefix` treats every word as a prefix. By default notes with all words. */
                match?: "any" | "prefix";
                /** @description Only notes that carry this tag. */
                tag?: string;
                sort?: "created_at" | "updated_at" | "edited_at" | "title";
                /** @description By default desc for times, asc for title. */
                direction?: "asc" | "desc";
                /** @description `false` leaves the bodies out, which is faster, and long notes then do not end the page early. */
                content?: boolean;
                /** @description Adds `excerpt` to each note: its first words without markup. */
                excerpt?: boolean;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
                /** @description Pages that neither repeat nor skip a result while others write: `start` for the first one, then the `next_cursor` of the page before. Repeat everything else unchanged, and leave `offset` out. */
                cursor?: string;
                /** @description Whether a page by `cursor` has `total`; a page by `offset` always has it. */
                total?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "content": "Ask about [[Engines]].",
                     *           "tags": [
                     *             "work"
                     *           ],
                     *           "alias": null,
                     *           "pinned": false,
                     *           "pin_label": null,
                     *           "cover_url": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "snippet": "Ask about <mark>engines</mark>.",
                     *           "edited_at": "2026-11-21T09:30:00.000Z",
                     *           "excerpt": "Ask about Engines."
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false,
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        /**
                         * @description How many there are in all. Pages by `cursor` have it only with `total=true`.
                         * @example 1
                         */
                        total: number;
                        /**
                         * @description Whether results follow.
                         * @example false
                         */
                        has_more: boolean;
                        /** @description In a page by `cursor`: the `cursor` of the next page, at most 500 URL-safe characters; null on the last page. */
                        next_cursor?: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Meeting with Ada",
                 *       "content": "Ask about [[Engines]].",
                 *       "tags": [
                 *         "work",
                 *         "meeting"
                 *       ],
                 *       "properties": {
                 *         "status": "open"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Meeting with Ada
                     */
                    title: string;
                    /**
                     * @description The body; markup text, kept byte for byte.
                     * @example Ask about [[Engines]].
                     */
                    content?: string;
                    /** @description Tags to put on; those that do not exist are created. */
                    tags?: string[];
                    /**
                     * @description Another name for links; unique among notes. null clears. Must be a text of 1 to 200 characters without control characters, or null.
                     * @example ada
                     */
                    alias?: string | null;
                    /**
                     * @description Must be an http or https URL of at most 2,048 characters, or null.
                     * @example https://example.com/cover.png
                     */
                    cover_url?: string | null;
                    /**
                     * @description Values by property key; all are written or none.
                     * @example {
                     *       "status": "open"
                     *     }
                     */
                    properties?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description The id or name of a preset: its tags and property values are added, and without `content` the note has its text.
                     * @example Meeting
                     */
                    preset?: string;
                    /**
                     * @description With `preset` alone: values by property key, of those that it asks for.
                     * @example {
                     *       "status": "open"
                     *     }
                     */
                    answers?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description The time zone of `{{date}}` and `{{time}}`; UTC unless given. Must be an IANA time zone such as Europe/Berlin.
                     * @example Europe/Berlin
                     */
                    tz?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       },
                     *       "properties": {
                     *         "status": "open"
                     *       },
                     *       "properties_error": null
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                        /**
                         * @description The values of the note now.
                         * @example {
                         *       "status": "open"
                         *     }
                         */
                        properties: {
                            [key: string]: unknown;
                        };
                        /** @description Why no property was written; the note exists all the same. */
                        properties_error: {
                            /** @example There is no property "stauts" in this workspace; define it first. */
                            error: string;
                            /** @example refused */
                            code: string;
                        } | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    queryNotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "type": "group",
                 *         "match": "all",
                 *         "children": [
                 *           {
                 *             "type": "field",
                 *             "field": "title",
                 *             "op": "contains",
                 *             "value": "meeting"
                 *           },
                 *           {
                 *             "type": "field",
                 *             "field": "updated_at",
                 *             "op": "within",
                 *             "value": {
                 *               "relative": {
                 *                 "n": -7,
                 *                 "unit": "day"
                 *               }
                 *             }
                 *           }
                 *         ]
                 *       },
                 *       "search": "engine*",
                 *       "match": "any",
                 *       "sort": "created_at",
                 *       "direction": "asc",
                 *       "content": false,
                 *       "excerpt": true,
                 *       "limit": 50,
                 *       "offset": 0
                 *     }
                 */
                "application/json": {
                    filter: components["schemas"]["FilterTree"];
                    /**
                     * @description Full-text search: words are ANDed, "a phrase" keeps order, word* is a prefix, -word excludes.
                     * @example engine*
                     */
                    search?: string;
                    /**
                     * @description With `search`: `any` finds notes with at least one of the words, those with most words first; `prefix` treats every word as a prefix. By default notes with all words.
                     * @example any
                     * @enum {string}
                     */
                    match?: "any" | "prefix";
                    /** @enum {string} */
                    sort?: "created_at" | "updated_at" | "edited_at" | "title";
                    /**
                     * @description By default desc for times, asc for title.
                     * @enum {string}
                     */
                    direction?: "asc" | "desc";
                    /**
                     * @description `false` leaves the bodies out, which is faster, and long notes then do not end the page early.
                     * @example false
                     */
                    content?: boolean;
                    /**
                     * @description Adds `excerpt` to each note: its first words without markup.
                     * @example true
                     */
                    excerpt?: boolean;
                    /**
                     * @description The maximum number of results.
                     * @default 50
                     */
                    limit?: number;
                    /**
                     * @description The number of results to skip.
                     * @default 0
                     */
                    offset?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "content": "Ask about [[Engines]].",
                     *           "tags": [
                     *             "work"
                     *           ],
                     *           "alias": null,
                     *           "pinned": false,
                     *           "pin_label": null,
                     *           "cover_url": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "snippet": "Ask about <mark>engines</mark>.",
                     *           "edited_at": "2026-11-21T09:30:00.000Z",
                     *           "excerpt": "Ask about Engines."
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        /**
                         * @description How many there are in all.
                         * @example 1
                         */
                        total: number;
                        /**
                         * @description Whether notes follow. A page ends early before its text would be longer than 8 MiB: add the number of notes received to `offset`, not `limit`.
                         * @example false
                         */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Old plan",
                     *           "deleted_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        notes: components["schemas"]["TrashedNote"][];
                        /**
                         * @description How many there are in all.
                         * @example 1
                         */
                        total: number;
                        /**
                         * @description Whether notes follow. A page ends early before its text would be longer than 8 MiB: add the number of notes received to `offset`, not `limit`.
                         * @example false
                         */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    emptyTrash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purged": 3
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description How many notes were deleted.
                         * @example 3
                         */
                        purged: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTrashedNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note in the trash. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    purgeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note in the trash. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNote: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    trashNote: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "trashed": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        trashed: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Meeting with Ada Lovelace",
                 *       "pinned": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Meeting with Ada
                     */
                    title?: string;
                    /**
                     * @description The body; markup text, kept byte for byte.
                     * @example Ask about [[Engines]].
                     */
                    content?: string;
                    /**
                     * @description Another name for links; unique among notes. null clears. Must be a text of 1 to 200 characters without control characters, or null.
                     * @example ada
                     */
                    alias?: string | null;
                    pinned?: boolean;
                    /**
                     * @description Must be a text of 1 to 200 characters without control characters, or null.
                     * @example Start here
                     */
                    pin_label?: string | null;
                    /**
                     * @description Must be an http or https URL of at most 2,048 characters, or null.
                     * @example https://example.com/cover.png
                     */
                    cover_url?: string | null;
                    /** @description Tags to add; none is taken off. */
                    tags?: string[];
                    /**
                     * @description Whether links that lead to this note by the title or alias that changes are rewritten in the notes that hold them. Labels stay. Where the new title or alias would not lead here, the link is by id, with its old text as label; links by an alias that is cleared go to the title.
                     * @example true
                     */
                    rewrite_links?: boolean;
                    /**
                     * Format: date-time
                     * @description The `updated_at` that was read; the call is refused when the note changed since.
                     * @example 2026-11-21T09:30:00.000Z
                     */
                    if_unchanged?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       },
                     *       "links_rewritten": 2
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                        /**
                         * @description With `rewrite_links` alone: how many links were rewritten.
                         * @example 2
                         */
                        links_rewritten?: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    appendToNote: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Ask about [[Engines]].",
                 *       "heading": "Log"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The body; markup text, kept byte for byte.
                     * @example Ask about [[Engines]].
                     */
                    text: string;
                    /**
                     * @description Stands above the text as "## heading". Must be a text of 1 to 500 characters without control characters.
                     * @example Log
                     */
                    heading?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    editNote: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "old_str": "Engines",
                 *       "new_str": "Analytical Engine"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A passage that occurs exactly once.
                     * @example Engines
                     */
                    old_str: string;
                    /**
                     * @description By default empty.
                     * @example Analytical Engine
                     */
                    new_str?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNoteProperties: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "properties": {
                     *         "status": "open"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Values by property key.
                         * @example {
                         *       "status": "open"
                         *     }
                         */
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateNoteProperties: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "open"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "properties": {
                     *         "status": "open"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Values by property key.
                         * @example {
                         *       "status": "open"
                         *     }
                         */
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addNoteTags: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "work"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Tags to put on; those that do not exist are created. */
                    tags: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeNoteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note. */
                id: string;
                /**
                 * @description The name of the tag, ignoring case.
                 * @example work
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNoteLinks: {
        parameters: {
            query?: {
                /** @description Adds `context` to each backlink: up to 200 characters around it. */
                context?: boolean;
            };
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outgoing": [
                     *         {
                     *           "text": "Engines",
                     *           "note": null
                     *         }
                     *       ],
                     *       "backlinks": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "context": "Ask about <mark>[[Engines]]</mark>."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        outgoing: {
                            /** @example Engines */
                            text: string;
                            /** @description null when the link is unresolved. */
                            note: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Engines */
                                title: string;
                            } | null;
                        }[];
                        backlinks: {
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /** @example Meeting with Ada */
                            title: string;
                            /**
                             * Format: date-time
                             * @example 2026-11-21T09:30:00.000Z
                             */
                            updated_at: string;
                            /**
                             * @description Only with `context=true`: text around the link, as HTML with the link in <mark>.
                             * @example Ask about <mark>[[Engines]]</mark>.
                             */
                            context?: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNoteMentions: {
        parameters: {
            query?: {
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mentions": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "snippet": "Ask about <mark>Engines</mark>."
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        mentions: {
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /** @example Meeting with Ada */
                            title: string;
                            /**
                             * @description Text around the name, as HTML with the name in <mark>.
                             * @example Ask about <mark>Engines</mark>.
                             */
                            snippet: string;
                        }[];
                        /**
                         * @description How many there are in all.
                         * @example 1
                         */
                        total: number;
                        /** @example false */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNoteRevisions: {
        parameters: {
            query?: {
                /** @description The maximum number of results. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revisions": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "surface": "api",
                     *           "title": "Meeting with Ada",
                     *           "content": "Ask about"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        revisions: components["schemas"]["Revision"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreNoteRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note. */
                id: string;
                /** @description The revision. */
                revisionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       }
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNoteFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The note. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "file_name": "handbook.pdf",
                     *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "mime_type": "application/pdf",
                     *           "size": 48211,
                     *           "status": "ready",
                     *           "pages": 12,
                     *           "error": "The file is protected by a password.",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        files: components["schemas"]["File"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "work",
                     *           "color": "#1E90FF",
                     *           "is_pinned": false,
                     *           "note_count": 3,
                     *           "linked_tags": [
                     *             {
                     *               "id": 2,
                     *               "name": "project"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        tags: components["schemas"]["Tag"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the tag. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag": {
                     *         "id": 1,
                     *         "name": "work",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "note_count": 3,
                     *         "linked_tags": [
                     *           {
                     *             "id": 2,
                     *             "name": "project"
                     *           }
                     *         ]
                     *       },
                     *       "used_by": {
                     *         "views": [
                     *           {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Open work"
                     *           }
                     *         ],
                     *         "lenses": [
                     *           {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Open work"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                        used_by: {
                            views: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Open work */
                                name: string;
                            }[];
                            lenses: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Open work */
                                name: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the tag. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": 1
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /** @example 1 */
                        id: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the tag. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "color": "#1E90FF",
                 *       "is_pinned": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a tag name: 1 to 100 characters, no comma, no control character.
                     * @example work
                     */
                    name?: string;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag": {
                     *         "id": 1,
                     *         "name": "work",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "note_count": 3,
                     *         "linked_tags": [
                     *           {
                     *             "id": 2,
                     *             "name": "project"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    setTagLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the tag. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "linked_tag_ids": [
                 *         2
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Replaces the list.
                     * @example [
                     *       2
                     *     ]
                     */
                    linked_tag_ids: number[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag": {
                     *         "id": 1,
                     *         "name": "work",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "note_count": 3,
                     *         "linked_tags": [
                     *           {
                     *             "id": 2,
                     *             "name": "project"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProperties: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "properties": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "key": "status",
                     *           "type": "select",
                     *           "label": "Status",
                     *           "options": [
                     *             "open",
                     *             "done"
                     *           ],
                     *           "position": 0,
                     *           "is_pinned": false,
                     *           "notes_with_value": 3,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        properties: components["schemas"]["Property"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createProperty: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "status",
                 *       "type": "select",
                 *       "options": [
                 *         "open",
                 *         "done"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits, "_" or "-".
                     * @example status
                     */
                    key: string;
                    /**
                     * @example select
                     * @enum {string}
                     */
                    type: "text" | "number" | "date" | "bool" | "select" | "json";
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters, or null.
                     * @example Status
                     */
                    label?: string | null;
                    /**
                     * @description The values that a `select` accepts.
                     * @example [
                     *       "open",
                     *       "done"
                     *     ]
                     */
                    options?: string[];
                    /** @description Others shift; past the end is the end. */
                    position?: number;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "property": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "key": "status",
                     *         "type": "select",
                     *         "label": "Status",
                     *         "options": [
                     *           "open",
                     *           "done"
                     *         ],
                     *         "position": 0,
                     *         "is_pinned": false,
                     *         "notes_with_value": 3,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        property: components["schemas"]["Property"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProperty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id or the key of the property.
                 * @example status
                 */
                idOrKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "property": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "key": "status",
                     *         "type": "select",
                     *         "label": "Status",
                     *         "options": [
                     *           "open",
                     *           "done"
                     *         ],
                     *         "position": 0,
                     *         "is_pinned": false,
                     *         "notes_with_value": 3,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "used_by": {
                     *         "views": [
                     *           {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Open work",
                     *             "roles": [
                     *               "filter"
                     *             ]
                     *           }
                     *         ],
                     *         "presets": [
                     *           {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Open work"
                     *           }
                     *         ],
                     *         "lenses": [
                     *           {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Open work"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        property: components["schemas"]["Property"];
                        used_by: {
                            views: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Open work */
                                name: string;
                                roles: ("filter" | "sort" | "display")[];
                            }[];
                            presets: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Open work */
                                name: string;
                            }[];
                            lenses: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example Open work */
                                name: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteProperty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id or the key of the property.
                 * @example status
                 */
                idOrKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "notes_affected": 3
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * @description Notes that held a value, trashed ones too.
                         * @example 3
                         */
                        notes_affected: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateProperty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id or the key of the property.
                 * @example status
                 */
                idOrKey: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "State",
                 *       "options": [
                 *         "open",
                 *         "waiting",
                 *         "done"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits, "_" or "-".
                     * @example status
                     */
                    key?: string;
                    /**
                     * @description null goes back to the key. Must be a text of 1 to 500 characters without control characters, or null.
                     * @example Status
                     */
                    label?: string | null;
                    /**
                     * @description Only while no note holds a value.
                     * @enum {string}
                     */
                    type?: "text" | "number" | "date" | "bool" | "select" | "json";
                    /**
                     * @description The values that a `select` accepts.
                     * @example [
                     *       "open",
                     *       "done"
                     *     ]
                     */
                    options?: string[];
                    /** @description Others shift; past the end is the end. */
                    position?: number;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "property": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "key": "status",
                     *         "type": "select",
                     *         "label": "Status",
                     *         "options": [
                     *           "open",
                     *           "done"
                     *         ],
                     *         "position": 0,
                     *         "is_pinned": false,
                     *         "notes_with_value": 3,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "stranded_values": [
                     *         {
                     *           "value": "waiting",
                     *           "notes": 2
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        property: components["schemas"]["Property"];
                        /** @description Values on active notes that are no longer among the options. */
                        stranded_values: {
                            /** @example waiting */
                            value: string;
                            /** @example 2 */
                            notes: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPresets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "presets": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Meeting",
                     *           "tags": [
                     *             "work"
                     *           ],
                     *           "properties": [
                     *             {
                     *               "key": "status",
                     *               "value": "open"
                     *             }
                     *           ],
                     *           "asks": [
                     *             {
                     *               "key": "status",
                     *               "value": "open"
                     *             }
                     *           ],
                     *           "content": "## {{date}}",
                     *           "icon": "book",
                     *           "color": "#1E90FF",
                     *           "is_pinned": false,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        presets: components["schemas"]["Preset"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Meeting",
                 *       "tags": [
                 *         "work"
                 *       ],
                 *       "properties": [
                 *         {
                 *           "key": "status",
                 *           "value": "open"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique, ignoring case; not in the form of an id. Must be a text of 1 to 500 characters without control characters.
                     * @example Meeting
                     */
                    name: string;
                    /** @description Tags to put on; those that do not exist are created. Replaces the list. */
                    tags?: string[];
                    /**
                     * @description The values to set. Replaces the list.
                     * @example []
                     */
                    properties?: {
                        /**
                         * @description The key of a property.
                         * @example status
                         */
                        key: string;
                        /** @description null or "" for none. */
                        value: unknown;
                    }[];
                    /**
                     * @description The values to ask for; none of them among `properties`. Replaces the list.
                     * @example []
                     */
                    ask?: {
                        /**
                         * @description The key of a property.
                         * @example status
                         */
                        key: string;
                        /** @description The pre-filled answer; null or "" for none. */
                        value?: unknown;
                    }[];
                    /**
                     * @description The text of a note that is made with it; applied to a note, it is appended. `{{date}}`, `{{time}}` and `{{title}}` are filled in. null clears.
                     * @example ## {{date}}
                     */
                    content?: string | null;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "preset": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Meeting",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "properties": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "asks": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "content": "## {{date}}",
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPreset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The id or the name of the preset.
                 * @example Meeting
                 */
                idOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "preset": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Meeting",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "properties": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "asks": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "content": "## {{date}}",
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deletePreset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id or the name of the preset.
                 * @example Meeting
                 */
                idOrName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePreset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id or the name of the preset.
                 * @example Meeting
                 */
                idOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ask": [],
                 *       "icon": "book",
                 *       "is_pinned": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique, ignoring case; not in the form of an id. Must be a text of 1 to 500 characters without control characters.
                     * @example Meeting
                     */
                    name?: string;
                    /** @description Tags to put on; those that do not exist are created. Replaces the list. */
                    tags?: string[];
                    /**
                     * @description The values to set. Replaces the list.
                     * @example []
                     */
                    properties?: {
                        /**
                         * @description The key of a property.
                         * @example status
                         */
                        key: string;
                        /** @description null or "" for none. */
                        value: unknown;
                    }[];
                    /**
                     * @description The values to ask for; none of them among `properties`. Replaces the list.
                     * @example []
                     */
                    ask?: {
                        /**
                         * @description The key of a property.
                         * @example status
                         */
                        key: string;
                        /** @description The pre-filled answer; null or "" for none. */
                        value?: unknown;
                    }[];
                    /**
                     * @description The text of a note that is made with it; applied to a note, it is appended. `{{date}}`, `{{time}}` and `{{title}}` are filled in. null clears.
                     * @example ## {{date}}
                     */
                    content?: string | null;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "preset": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Meeting",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "properties": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "asks": [
                     *           {
                     *             "key": "status",
                     *             "value": "open"
                     *           }
                     *         ],
                     *         "content": "## {{date}}",
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "is_pinned": false,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    applyPreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id or the name of the preset.
                 * @example Meeting
                 */
                idOrName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "answers": {},
                 *       "tz": "Europe/Berlin",
                 *       "overwrite": false
                 *     }
                 */
                "application/json": {
                    /** @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 */
                    note_id: string;
                    /**
                     * @description Values by property key, of those asked for; null or "" is no answer.
                     * @example {}
                     */
                    answers?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description The time zone of `{{date}}` and `{{time}}`; UTC unless given. Must be an IANA time zone such as Europe/Berlin.
                     * @example Europe/Berlin
                     */
                    tz?: string;
                    /** @description Also replaces values that the note holds; by default they are kept. */
                    overwrite?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "note": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "content": "Ask about [[Engines]].",
                     *         "tags": [
                     *           "work"
                     *         ],
                     *         "alias": null,
                     *         "pinned": false,
                     *         "pin_label": null,
                     *         "cover_url": null,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "snippet": "Ask about <mark>engines</mark>."
                     *       },
                     *       "properties": {
                     *         "status": "open"
                     *       },
                     *       "tags_added": [
                     *         "work"
                     *       ],
                     *       "properties_set": [
                     *         "status"
                     *       ],
                     *       "properties_kept": [
                     *         "status"
                     *       ],
                     *       "properties_unanswered": [
                     *         "status"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        note: components["schemas"]["Note"];
                        /**
                         * @description The values of the note now.
                         * @example {
                         *       "status": "open"
                         *     }
                         */
                        properties: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description Tags that the note did not have, and the tags that they imply.
                         * @example [
                         *       "work"
                         *     ]
                         */
                        tags_added: string[];
                        /**
                         * @description Properties that were set.
                         * @example [
                         *       "status"
                         *     ]
                         */
                        properties_set: string[];
                        /**
                         * @description Properties whose values were kept.
                         * @example [
                         *       "status"
                         *     ]
                         */
                        properties_kept: string[];
                        /**
                         * @description Questions with neither an answer nor a pre-filled value.
                         * @example [
                         *       "status"
                         *     ]
                         */
                        properties_unanswered: string[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "views": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Open work",
                     *           "filter": {
                     *             "type": "group",
                     *             "match": "all",
                     *             "children": [
                     *               {
                     *                 "type": "field",
                     *                 "field": "title",
                     *                 "op": "contains",
                     *                 "value": "meeting"
                     *               },
                     *               {
                     *                 "type": "field",
                     *                 "field": "updated_at",
                     *                 "op": "within",
                     *                 "value": {
                     *                   "relative": {
                     *                     "n": -7,
                     *                     "unit": "day"
                     *                   }
                     *                 }
                     *               }
                     *             ]
                     *           },
                     *           "filter_summary": "tagged \"work\" and status is \"open\"",
                     *           "sort": {
                     *             "field": "updated_at",
                     *             "direction": "desc"
                     *           },
                     *           "display": {
                     *             "properties": [
                     *               {
                     *                 "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *                 "key": "due",
                     *                 "label": "Due",
                     *                 "type": "date"
                     *               }
                     *             ],
                     *             "show_tags": false
                     *           },
                     *           "display_properties": [
                     *             "due"
                     *           ],
                     *           "show_tags": false,
                     *           "is_pinned": false,
                     *           "is_default": false,
                     *           "icon": "book",
                     *           "color": "#1E90FF",
                     *           "cover_url": "https://example.com/cover.png",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        views: components["schemas"]["View"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createView: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Open work",
                 *       "filter": {
                 *         "type": "group",
                 *         "match": "all",
                 *         "children": [
                 *           {
                 *             "type": "field",
                 *             "field": "title",
                 *             "op": "contains",
                 *             "value": "meeting"
                 *           },
                 *           {
                 *             "type": "field",
                 *             "field": "updated_at",
                 *             "op": "within",
                 *             "value": {
                 *               "relative": {
                 *                 "n": -7,
                 *                 "unit": "day"
                 *               }
                 *             }
                 *           }
                 *         ]
                 *       },
                 *       "display_properties": [
                 *         "status"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Open work
                     */
                    name: string;
                    /** @description Replaces the whole tree; null for every note. */
                    filter?: components["schemas"]["FilterTree"] | null;
                    /**
                     * @description Replaced whole; by default the newest edit first.
                     * @example {
                     *       "field": "updated_at",
                     *       "direction": "desc"
                     *     }
                     */
                    sort?: {
                        /**
                         * @example updated_at
                         * @enum {string}
                         */
                        field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                        /**
                         * @description By default desc for times, asc otherwise.
                         * @example desc
                         * @enum {string}
                         */
                        direction?: "asc" | "desc";
                        /**
                         * @description The key of a property, with the field `property` alone.
                         * @example due
                         */
                        property?: string;
                    };
                    /**
                     * @description Keys of the properties that a card shows.
                     * @example []
                     */
                    display_properties?: string[];
                    /** @description Whether a card shows tags; by default it does. */
                    show_tags?: boolean;
                    is_pinned?: boolean;
                    /** @description true takes it from the view that is the default so far. */
                    is_default?: boolean;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    /**
                     * @description Must be an http or https URL of at most 2,048 characters, or null.
                     * @example https://example.com/cover.png
                     */
                    cover_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open work",
                     *         "filter": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "filter_summary": "tagged \"work\" and status is \"open\"",
                     *         "sort": {
                     *           "field": "updated_at",
                     *           "direction": "desc"
                     *         },
                     *         "display": {
                     *           "properties": [
                     *             {
                     *               "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "key": "due",
                     *               "label": "Due",
                     *               "type": "date"
                     *             }
                     *           ],
                     *           "show_tags": false
                     *         },
                     *         "display_properties": [
                     *           "due"
                     *         ],
                     *         "show_tags": false,
                     *         "is_pinned": false,
                     *         "is_default": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "cover_url": "https://example.com/cover.png",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open work",
                     *         "filter": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "filter_summary": "tagged \"work\" and status is \"open\"",
                     *         "sort": {
                     *           "field": "updated_at",
                     *           "direction": "desc"
                     *         },
                     *         "display": {
                     *           "properties": [
                     *             {
                     *               "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "key": "due",
                     *               "label": "Due",
                     *               "type": "date"
                     *             }
                     *           ],
                     *           "show_tags": false
                     *         },
                     *         "display_properties": [
                     *           "due"
                     *         ],
                     *         "show_tags": false,
                     *         "is_pinned": false,
                     *         "is_default": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "cover_url": "https://example.com/cover.png",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sort": {
                 *         "field": "title",
                 *         "direction": "asc"
                 *       },
                 *       "is_pinned": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Open work
                     */
                    name?: string;
                    /** @description Replaces the whole tree; null for every note. */
                    filter?: components["schemas"]["FilterTree"] | null;
                    /**
                     * @description Replaced whole; by default the newest edit first.
                     * @example {
                     *       "field": "updated_at",
                     *       "direction": "desc"
                     *     }
                     */
                    sort?: {
                        /**
                         * @example updated_at
                         * @enum {string}
                         */
                        field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                        /**
                         * @description By default desc for times, asc otherwise.
                         * @example desc
                         * @enum {string}
                         */
                        direction?: "asc" | "desc";
                        /**
                         * @description The key of a property, with the field `property` alone.
                         * @example due
                         */
                        property?: string;
                    };
                    /**
                     * @description Keys of the properties that a card shows.
                     * @example []
                     */
                    display_properties?: string[];
                    /** @description Whether a card shows tags; by default it does. */
                    show_tags?: boolean;
                    is_pinned?: boolean;
                    /** @description true takes it from the view that is the default so far. */
                    is_default?: boolean;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    /**
                     * @description Must be an http or https URL of at most 2,048 characters, or null.
                     * @example https://example.com/cover.png
                     */
                    cover_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open work",
                     *         "filter": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "filter_summary": "tagged \"work\" and status is \"open\"",
                     *         "sort": {
                     *           "field": "updated_at",
                     *           "direction": "desc"
                     *         },
                     *         "display": {
                     *           "properties": [
                     *             {
                     *               "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "key": "due",
                     *               "label": "Due",
                     *               "type": "date"
                     *             }
                     *           ],
                     *           "show_tags": false
                     *         },
                     *         "display_properties": [
                     *           "due"
                     *         ],
                     *         "show_tags": false,
                     *         "is_pinned": false,
                     *         "is_default": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "cover_url": "https://example.com/cover.png",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listViewNotes: {
        parameters: {
            query?: {
                /** @description `false` leaves the bodies out, which is faster, and long notes then do not end the page early. */
                content?: boolean;
                /** @description Adds `excerpt` to each note: its first words without markup. */
                excerpt?: boolean;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "content": "Ask about [[Engines]].",
                     *           "tags": [
                     *             "work"
                     *           ],
                     *           "alias": null,
                     *           "pinned": false,
                     *           "pin_label": null,
                     *           "cover_url": null,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "snippet": "Ask about <mark>engines</mark>.",
                     *           "edited_at": "2026-11-21T09:30:00.000Z",
                     *           "excerpt": "Ask about Engines."
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        /**
                         * @description How many there are in all.
                         * @example 1
                         */
                        total: number;
                        /**
                         * @description Whether notes follow. A page ends early before its text would be longer than 8 MiB: add the number of notes received to `offset`, not `limit`.
                         * @example false
                         */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLenses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lenses": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Work",
                     *           "scope": {
                     *             "type": "group",
                     *             "match": "all",
                     *             "children": [
                     *               {
                     *                 "type": "field",
                     *                 "field": "title",
                     *                 "op": "contains",
                     *                 "value": "meeting"
                     *               },
                     *               {
                     *                 "type": "field",
                     *                 "field": "updated_at",
                     *                 "op": "within",
                     *                 "value": {
                     *                   "relative": {
                     *                     "n": -7,
                     *                     "unit": "day"
                     *                   }
                     *                 }
                     *               }
                     *             ]
                     *           },
                     *           "settings": {
                     *             "layers": {
                     *               "links": true,
                     *               "tags": false
                     *             },
                     *             "nodes": {
                     *               "orphans": true,
                     *               "dangling": false
                     *             },
                     *             "look": {
                     *               "arrows": true,
                     *               "titles": "zoom"
                     *             }
                     *           },
                     *           "is_default": true,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        lenses: components["schemas"]["Lens"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Work",
                 *       "settings": {
                 *         "layers": {
                 *           "tags": true
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Work
                     */
                    name: string;
                    /** @description Replaces the whole tree; null for the whole workspace. */
                    scope?: components["schemas"]["FilterTree"] | null;
                    /**
                     * @description Merged into the current settings, one by one.
                     * @example {
                     *       "layers": {
                     *         "tags": true
                     *       }
                     *     }
                     */
                    settings?: {
                        layers?: {
                            links?: boolean;
                            tags?: boolean;
                        };
                        nodes?: {
                            orphans?: boolean;
                            dangling?: boolean;
                        };
                        look?: {
                            arrows?: boolean;
                            /** @enum {string} */
                            titles?: "zoom" | "always" | "never";
                        };
                    };
                    /**
                     * @description true takes it from the lens that is the default so far; the first lens always is.
                     * @example true
                     */
                    is_default?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lens": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Work",
                     *         "scope": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "settings": {
                     *           "layers": {
                     *             "links": true,
                     *             "tags": false
                     *           },
                     *           "nodes": {
                     *             "orphans": true,
                     *             "dangling": false
                     *           },
                     *           "look": {
                     *             "arrows": true,
                     *             "titles": "zoom"
                     *           }
                     *         },
                     *         "is_default": true,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lens. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lens": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Work",
                     *         "scope": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "settings": {
                     *           "layers": {
                     *             "links": true,
                     *             "tags": false
                     *           },
                     *           "nodes": {
                     *             "orphans": true,
                     *             "dangling": false
                     *           },
                     *           "look": {
                     *             "arrows": true,
                     *             "titles": "zoom"
                     *           }
                     *         },
                     *         "is_default": true,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteLens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lens. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateLens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lens. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "settings": {
                 *         "nodes": {
                 *           "orphans": false
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Work
                     */
                    name?: string;
                    /** @description Replaces the whole tree; null for the whole workspace. */
                    scope?: components["schemas"]["FilterTree"] | null;
                    /**
                     * @description Merged into the current settings, one by one.
                     * @example {
                     *       "layers": {
                     *         "tags": true
                     *       }
                     *     }
                     */
                    settings?: {
                        layers?: {
                            links?: boolean;
                            tags?: boolean;
                        };
                        nodes?: {
                            orphans?: boolean;
                            dangling?: boolean;
                        };
                        look?: {
                            arrows?: boolean;
                            /** @enum {string} */
                            titles?: "zoom" | "always" | "never";
                        };
                    };
                    /**
                     * @description true takes it from the lens that is the default so far, which cannot give it away.
                     * @example true
                     */
                    is_default?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lens": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Work",
                     *         "scope": {
                     *           "type": "group",
                     *           "match": "all",
                     *           "children": [
                     *             {
                     *               "type": "field",
                     *               "field": "title",
                     *               "op": "contains",
                     *               "value": "meeting"
                     *             },
                     *             {
                     *               "type": "field",
                     *               "field": "updated_at",
                     *               "op": "within",
                     *               "value": {
                     *                 "relative": {
                     *                   "n": -7,
                     *                   "unit": "day"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "settings": {
                     *           "layers": {
                     *             "links": true,
                     *             "tags": false
                     *           },
                     *           "nodes": {
                     *             "orphans": true,
                     *             "dangling": false
                     *           },
                     *           "look": {
                     *             "arrows": true,
                     *             "titles": "zoom"
                     *           }
                     *         },
                     *         "is_default": true,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLensGraph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The lens. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "kind": "note",
                     *           "degree": 2
                     *         }
                     *       ],
                     *       "edges": [
                     *         {
                     *           "from": "text",
                     *           "to": "text",
                     *           "kind": "link"
                     *         }
                     *       ],
                     *       "truncated": false
                     *     }
                     */
                    "application/json": {
                        /** @description The best connected first, at most 5000. */
                        nodes: {
                            /**
                             * @description Of a note its id, of a tag `tag:<id>`, of a dangling target `dangling:<target>`.
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /**
                             * @description The title of a note, the name of a tag, or the target in lower case.
                             * @example Meeting with Ada
                             */
                            title: string;
                            /**
                             * @example note
                             * @enum {string}
                             */
                            kind: "note" | "tag" | "dangling";
                            /**
                             * @description How many edges it has, those to nodes left out included.
                             * @example 2
                             */
                            degree: number;
                        }[];
                        /** @description Between these nodes, each once: links first, each kind in the order of the notes; at most 20,000. */
                        edges: {
                            /** @description The note that links or is tagged. */
                            from: string;
                            /** @description The node it is joined to; never the note itself. */
                            to: string;
                            /**
                             * @example link
                             * @enum {string}
                             */
                            kind: "link" | "tag";
                        }[];
                        /** @description Whether nodes or edges were left out because they are too many. */
                        truncated: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getGraph: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodes": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "kind": "note",
                     *           "degree": 2
                     *         }
                     *       ],
                     *       "edges": [
                     *         {
                     *           "from": "text",
                     *           "to": "text",
                     *           "kind": "link"
                     *         }
                     *       ],
                     *       "truncated": false
                     *     }
                     */
                    "application/json": {
                        /** @description The best connected first, at most 5000. */
                        nodes: {
                            /**
                             * @description Of a note its id, of a tag `tag:<id>`, of a dangling target `dangling:<target>`.
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /**
                             * @description The title of a note, the name of a tag, or the target in lower case.
                             * @example Meeting with Ada
                             */
                            title: string;
                            /**
                             * @example note
                             * @enum {string}
                             */
                            kind: "note" | "tag" | "dangling";
                            /**
                             * @description How many edges it has, those to nodes left out included.
                             * @example 2
                             */
                            degree: number;
                        }[];
                        /** @description Between these nodes, each once: links first, each kind in the order of the notes; at most 20,000. */
                        edges: {
                            /** @description The note that links or is tagged. */
                            from: string;
                            /** @description The node it is joined to; never the note itself. */
                            to: string;
                            /**
                             * @example link
                             * @enum {string}
                             */
                            kind: "link" | "tag";
                        }[];
                        /** @description Whether nodes or edges were left out because they are too many. */
                        truncated: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listQuickAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "title": "Meeting with Ada",
                     *           "icon": "book",
                     *           "color": "#1E90FF",
                     *           "icon_filled": false,
                     *           "position": 0,
                     *           "created_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["QuickAccessItem"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createQuickAccessItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "icon": "book",
                 *       "color": "#1E90FF",
                 *       "icon_filled": false,
                 *       "position": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The note to pin; a note can be pinned only once.
                     * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                     */
                    note_id: string;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    /** @description By default false. */
                    icon_filled?: boolean;
                    /**
                     * @description Others shift; past the end is the end.
                     * @example 0
                     */
                    position?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "item": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "icon_filled": false,
                     *         "position": 0,
                     *         "created_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        item: components["schemas"]["QuickAccessItem"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteQuickAccessItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The item, or the note it pins. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @description The item.
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateQuickAccessItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The item, or the note it pins. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "position": 0,
                 *       "color": "#1E90FF"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    /** @description By default false. */
                    icon_filled?: boolean;
                    /**
                     * @description Others shift; past the end is the end.
                     * @example 0
                     */
                    position?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "item": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "title": "Meeting with Ada",
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "icon_filled": false,
                     *         "position": 0,
                     *         "created_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        item: components["schemas"]["QuickAccessItem"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listStructures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "structures": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books",
                     *           "description": "Books I have read",
                     *           "fields": [
                     *             {
                     *               "key": "due",
                     *               "type": "date",
                     *               "expression": "{price} * {count}",
                     *               "result": "number",
                     *               "via": {
                     *                 "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *                 "field": "text"
                     *               },
                     *               "function": "count",
                     *               "field": "text",
                     *               "computing": true,
                     *               "label": "Due",
                     *               "required": false,
                     *               "unit": "kg",
                     *               "hidden": false,
                     *               "unique": false,
                     *               "min": 0,
                     *               "max": 0,
                     *               "options": null,
                     *               "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "format": {
                     *                 "style": "currency",
                     *                 "decimals": 2,
                     *                 "currency": "EUR"
                     *               },
                     *               "multiple": true
                     *             }
                     *           ],
                     *           "label_field": "title",
                     *           "unique_together": [
                     *             [
                     *               "title",
                     *               "author"
                     *             ]
                     *           ],
                     *           "max_rows": null,
                     *           "immutable": false,
                     *           "icon": "book",
                     *           "color": "#1E90FF",
                     *           "record_count": 12,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        structures: components["schemas"]["Structure"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createStructure: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Books",
                 *       "fields": [
                 *         {
                 *           "key": "title",
                 *           "type": "text",
                 *           "required": true
                 *         },
                 *         {
                 *           "key": "pages",
                 *           "type": "number",
                 *           "min": 1
                 *         },
                 *         {
                 *           "key": "status",
                 *           "type": "select",
                 *           "options": [
                 *             "to read",
                 *             "reading",
                 *             "read"
                 *           ]
                 *         },
                 *         {
                 *           "key": "finished",
                 *           "type": "date"
                 *         }
                 *       ],
                 *       "label_field": "title"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Books
                     */
                    name: string;
                    /**
                     * @example [
                     *       {
                     *         "key": "title",
                     *         "type": "text",
                     *         "required": true
                     *       }
                     *     ]
                     */
                    fields: {
                        /**
                         * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved.
                         * @example due
                         */
                        key: string;
                        /**
                         * @example date
                         * @enum {string}
                         */
                        type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                        /**
                         * @description Must be a text of 1 to 500 characters without control characters, or null.
                         * @example Due
                         */
                        label?: string | null;
                        /** @description Every row written from now on needs a value. */
                        required?: boolean;
                        /** @example kg */
                        unit?: string | null;
                        hidden?: boolean;
                        /** @description No two live rows hold the same value. */
                        unique?: boolean;
                        /**
                         * @description Least number or day, or fewest characters of a text; null for none.
                         * @example 0
                         */
                        min?: number | string | null;
                        /**
                         * @description Greatest number or day, or most characters of a text; null for none.
                         * @example 0
                         */
                        max?: number | string | null;
                        /**
                         * @description The values of a `select`; without any, every text is allowed.
                         * @example [
                         *       "open",
                         *       "done"
                         *     ]
                         */
                        options?: string[] | null;
                        /**
                         * @description For `formula`: computes the value from other fields of the row.
                         * @example ROUND({price} * {count}, 2)
                         */
                        expression?: string;
                        /** @description For `rollup`: the `record` field of a structure whose rows point here. */
                        via?: {
                            /** @example Orders */
                            structure: string;
                            /**
                             * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved.
                             * @example due
                             */
                            field: string;
                        };
                        /**
                         * @description For `rollup`.
                         * @example sum
                         * @enum {string}
                         */
                        function?: "count" | "sum" | "average" | "min" | "max";
                        /**
                         * @description For `rollup`: the field whose values count; none for `count`.
                         * @example amount
                         */
                        field?: string;
                        /**
                         * @description Ignored: the server infers it.
                         * @enum {string}
                         */
                        result?: "text" | "number" | "bool" | "date" | "datetime";
                        /** @description Ignored: the server sets it. */
                        computing?: boolean;
                        /** @description For `record`: the name or id of the structure whose rows it may name. */
                        structure?: string | null;
                        /** @description How clients show the values; null clears. `url` and `email` are checked when written. */
                        format?: {
                            /**
                             * @description For `number`: plain, grouped, percent, currency; for `text`: url, email, phone, long.
                             * @example currency
                             * @enum {string}
                             */
                            style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                            /**
                             * @description Digits after the decimal point.
                             * @example 2
                             */
                            decimals?: number;
                            /**
                             * @description Must be a currency code of three capital letters.
                             * @example EUR
                             */
                            currency?: string;
                        } | null;
                        /** @description A value is an array of 1 to 100 different values; for select, note, file, record and user. */
                        multiple?: boolean;
                    }[];
                    /** @description null clears. */
                    description?: string | null;
                    /**
                     * @description The field that names a row.
                     * @example title
                     */
                    label_field?: string | null;
                    /**
                     * @description Sets of fields whose values together no two live rows share.
                     * @example [
                     *       [
                     *         "title",
                     *         "author"
                     *       ]
                     *     ]
                     */
                    unique_together?: string[][];
                    /** @description 1 makes a settings object; null for no limit. */
                    max_rows?: number | null;
                    /** @description Rows are written and deleted, never edited. */
                    immutable?: boolean;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "structure": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Books",
                     *         "description": "Books I have read",
                     *         "fields": [
                     *           {
                     *             "key": "due",
                     *             "type": "date",
                     *             "expression": "{price} * {count}",
                     *             "result": "number",
                     *             "via": {
                     *               "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "field": "text"
                     *             },
                     *             "function": "count",
                     *             "field": "text",
                     *             "computing": true,
                     *             "label": "Due",
                     *             "required": false,
                     *             "unit": "kg",
                     *             "hidden": false,
                     *             "unique": false,
                     *             "min": 0,
                     *             "max": 0,
                     *             "options": null,
                     *             "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "format": {
                     *               "style": "currency",
                     *               "decimals": 2,
                     *               "currency": "EUR"
                     *             },
                     *             "multiple": true
                     *           }
                     *         ],
                     *         "label_field": "title",
                     *         "unique_together": [
                     *           [
                     *             "title",
                     *             "author"
                     *           ]
                     *         ],
                     *         "max_rows": null,
                     *         "immutable": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "record_count": 12,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStructure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The id or the name of the structure.
                 * @example Books
                 */
                nameOrId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "structure": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Books",
                     *         "description": "Books I have read",
                     *         "fields": [
                     *           {
                     *             "key": "due",
                     *             "type": "date",
                     *             "expression": "{price} * {count}",
                     *             "result": "number",
                     *             "via": {
                     *               "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "field": "text"
                     *             },
                     *             "function": "count",
                     *             "field": "text",
                     *             "computing": true,
                     *             "label": "Due",
                     *             "required": false,
                     *             "unit": "kg",
                     *             "hidden": false,
                     *             "unique": false,
                     *             "min": 0,
                     *             "max": 0,
                     *             "options": null,
                     *             "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "format": {
                     *               "style": "currency",
                     *               "decimals": 2,
                     *               "currency": "EUR"
                     *             },
                     *             "multiple": true
                     *           }
                     *         ],
                     *         "label_field": "title",
                     *         "unique_together": [
                     *           [
                     *             "title",
                     *             "author"
                     *           ]
                     *         ],
                     *         "max_rows": null,
                     *         "immutable": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "record_count": 12,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateStructure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id or the name of the structure.
                 * @example Books
                 */
                nameOrId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Books I have read.",
                 *       "max_rows": 10000
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters.
                     * @example Books
                     */
                    name?: string;
                    /**
                     * @example [
                     *       {
                     *         "key": "title",
                     *         "type": "text",
                     *         "required": true
                     *       }
                     *     ]
                     */
                    fields?: {
                        /**
                         * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved.
                         * @example due
                         */
                        key: string;
                        /**
                         * @example date
                         * @enum {string}
                         */
                        type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                        /**
                         * @description Must be a text of 1 to 500 characters without control characters, or null.
                         * @example Due
                         */
                        label?: string | null;
                        /** @description Every row written from now on needs a value. */
                        required?: boolean;
                        /** @example kg */
                        unit?: string | null;
                        hidden?: boolean;
                        /** @description No two live rows hold the same value. */
                        unique?: boolean;
                        /**
                         * @description Least number or day, or fewest characters of a text; null for none.
                         * @example 0
                         */
                        min?: number | string | null;
                        /**
                         * @description Greatest number or day, or most characters of a text; null for none.
                         * @example 0
                         */
                        max?: number | string | null;
                        /**
                         * @description The values of a `select`; without any, every text is allowed.
                         * @example [
                         *       "open",
                         *       "done"
                         *     ]
                         */
                        options?: string[] | null;
                        /**
                         * @description For `formula`: computes the value from other fields of the row.
                         * @example ROUND({price} * {count}, 2)
                         */
                        expression?: string;
                        /** @description For `rollup`: the `record` field of a structure whose rows point here. */
                        via?: {
                            /** @example Orders */
                            structure: string;
                            /**
                             * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved.
                             * @example due
                             */
                            field: string;
                        };
                        /**
                         * @description For `rollup`.
                         * @example sum
                         * @enum {string}
                         */
                        function?: "count" | "sum" | "average" | "min" | "max";
                        /**
                         * @description For `rollup`: the field whose values count; none for `count`.
                         * @example amount
                         */
                        field?: string;
                        /**
                         * @description Ignored: the server infers it.
                         * @enum {string}
                         */
                        result?: "text" | "number" | "bool" | "date" | "datetime";
                        /** @description Ignored: the server sets it. */
                        computing?: boolean;
                        /** @description For `record`: the name or id of the structure whose rows it may name. */
                        structure?: string | null;
                        /** @description How clients show the values; null clears. `url` and `email` are checked when written. */
                        format?: {
                            /**
                             * @description For `number`: plain, grouped, percent, currency; for `text`: url, email, phone, long.
                             * @example currency
                             * @enum {string}
                             */
                            style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                            /**
                             * @description Digits after the decimal point.
                             * @example 2
                             */
                            decimals?: number;
                            /**
                             * @description Must be a currency code of three capital letters.
                             * @example EUR
                             */
                            currency?: string;
                        } | null;
                        /** @description A value is an array of 1 to 100 different values; for select, note, file, record and user. */
                        multiple?: boolean;
                    }[];
                    /** @description null clears. */
                    description?: string | null;
                    /**
                     * @description The field that names a row.
                     * @example title
                     */
                    label_field?: string | null;
                    /**
                     * @description Sets of fields whose values together no two live rows share.
                     * @example [
                     *       [
                     *         "title",
                     *         "author"
                     *       ]
                     *     ]
                     */
                    unique_together?: string[][];
                    /** @description 1 makes a settings object; null for no limit. */
                    max_rows?: number | null;
                    immutable?: boolean;
                    /**
                     * @description Must be a text of 1 to 100 characters without control characters, or null.
                     * @example book
                     */
                    icon?: string | null;
                    /**
                     * @description Must be a colour such as #1E90FF, or null.
                     * @example #1E90FF
                     */
                    color?: string | null;
                    /** @description Answers what the structure would be and what would be refused; writes nothing. */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "structure": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Books",
                     *         "description": "Books I have read",
                     *         "fields": [
                     *           {
                     *             "key": "due",
                     *             "type": "date",
                     *             "expression": "{price} * {count}",
                     *             "result": "number",
                     *             "via": {
                     *               "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "field": "text"
                     *             },
                     *             "function": "count",
                     *             "field": "text",
                     *             "computing": true,
                     *             "label": "Due",
                     *             "required": false,
                     *             "unit": "kg",
                     *             "hidden": false,
                     *             "unique": false,
                     *             "min": 0,
                     *             "max": 0,
                     *             "options": null,
                     *             "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "format": {
                     *               "style": "currency",
                     *               "decimals": 2,
                     *               "currency": "EUR"
                     *             },
                     *             "multiple": true
                     *           }
                     *         ],
                     *         "label_field": "title",
                     *         "unique_together": [
                     *           [
                     *             "title",
                     *             "author"
                     *           ]
                     *         ],
                     *         "max_rows": null,
                     *         "immutable": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "record_count": 12,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "refusals": [
                     *         {
                     *           "error": "text",
                     *           "code": "refused",
                     *           "field": "due"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                        /** @description With `dry_run`: everything that would be refused; `structure` is then as it was. */
                        refusals?: {
                            error: string;
                            /** @example refused */
                            code: string;
                            /**
                             * @description The key of the field that it is about.
                             * @example due
                             */
                            field: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    convertField: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id or the name of the structure.
                 * @example Books
                 */
                nameOrId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "field": "pages",
                 *       "key": "pages_text",
                 *       "type": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The key of the field whose values are read.
                     * @example pages
                     */
                    field: string;
                    /**
                     * @description Must be a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved.
                     * @example due
                     */
                    key: string;
                    /**
                     * @example date
                     * @enum {string}
                     */
                    type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                    /**
                     * @description The values of a `select`; without any, every text is allowed.
                     * @example [
                     *       "open",
                     *       "done"
                     *     ]
                     */
                    options?: string[] | null;
                    /**
                     * @description Must be a text of 1 to 500 characters without control characters, or null.
                     * @example Due
                     */
                    label?: string | null;
                    /** @description A value is an array of 1 to 100 different values; for select, note, file, record and user. */
                    multiple?: boolean;
                    /**
                     * @description The order of day, month and year; by default the one that all fit.
                     * @enum {string}
                     */
                    date_format?: "iso" | "mdy" | "dmy" | "ymd";
                    /**
                     * @description The decimal sign; by default the one that all values fit.
                     * @enum {string}
                     */
                    decimal?: "." | ",";
                    /** @description Says what would be; writes nothing. */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "structure": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Books",
                     *         "description": "Books I have read",
                     *         "fields": [
                     *           {
                     *             "key": "due",
                     *             "type": "date",
                     *             "expression": "{price} * {count}",
                     *             "result": "number",
                     *             "via": {
                     *               "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "field": "text"
                     *             },
                     *             "function": "count",
                     *             "field": "text",
                     *             "computing": true,
                     *             "label": "Due",
                     *             "required": false,
                     *             "unit": "kg",
                     *             "hidden": false,
                     *             "unique": false,
                     *             "min": 0,
                     *             "max": 0,
                     *             "options": null,
                     *             "structure": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "format": {
                     *               "style": "currency",
                     *               "decimals": 2,
                     *               "currency": "EUR"
                     *             },
                     *             "multiple": true
                     *           }
                     *         ],
                     *         "label_field": "title",
                     *         "unique_together": [
                     *           [
                     *             "title",
                     *             "author"
                     *           ]
                     *         ],
                     *         "max_rows": null,
                     *         "immutable": false,
                     *         "icon": "book",
                     *         "color": "#1E90FF",
                     *         "record_count": 12,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "converted": 1,
                     *       "empty": 0,
                     *       "failed": 0,
                     *       "failures": []
                     *     }
                     */
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                        /**
                         * @description Rows that have a value in the new field.
                         * @example 1
                         */
                        converted: number;
                        /**
                         * @description Rows without a value in the old one.
                         * @example 0
                         */
                        empty: number;
                        /**
                         * @description Rows whose value could not be read.
                         * @example 0
                         */
                        failed: number;
                        /**
                         * @description The first 200 of them.
                         * @example []
                         */
                        failures: {
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            record_id: string;
                            /** @example about 300 */
                            value: string | number | boolean | string[];
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRowViews: {
        parameters: {
            query?: {
                /** @description The id or the name of a structure. */
                structure?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "row_views": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "structure_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Open",
                     *           "kind": "board",
                     *           "filter": [
                     *             {
                     *               "field": "status",
                     *               "op": "neq",
                     *               "value": "read"
                     *             }
                     *           ],
                     *           "search": null,
                     *           "sort": "finished",
                     *           "direction": "desc",
                     *           "columns": null,
                     *           "group_by": "status",
                     *           "date_field": "finished",
                     *           "end_field": null,
                     *           "personal": false,
                     *           "locked": false,
                     *           "owner": null,
                     *           "position": 0,
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        row_views: components["schemas"]["RowView"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createRowView: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "structure": "Books",
                 *       "name": "By status",
                 *       "kind": "board",
                 *       "group_by": "status",
                 *       "filter": []
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id or the name of a structure.
                     * @example Books
                     */
                    structure: string;
                    /**
                     * @description Unique, ignoring case, among the shared views of the structure, or among the personal ones of its owner. Must be a text of 1 to 200 characters without control characters.
                     * @example Open
                     */
                    name: string;
                    /**
                     * @description `table` unless given.
                     * @enum {string}
                     */
                    kind?: "table" | "board" | "calendar";
                    /**
                     * @description As in a list; every condition must hold.
                     * @example [
                     *       {
                     *         "field": "status",
                     *         "op": "neq",
                     *         "value": "read"
                     *       }
                     *     ]
                     */
                    filter?: components["schemas"]["RecordCondition"][];
                    /**
                     * @description A text in any field, ignoring case: `contains` on `*`.
                     * @example middle
                     */
                    search?: string | null;
                    /**
                     * @description A field key, `created_at` or `updated_at`.
                     * @example finished
                     */
                    sort?: string | null;
                    /** @enum {string|null} */
                    direction?: "asc" | "desc" | null;
                    /** @description The fields that are shown, in this order; null for all. */
                    columns?: {
                        /** @example title */
                        key: string;
                        /** @example 240 */
                        width?: number;
                    }[] | null;
                    /**
                     * @description A `select` or `bool` field: the columns of a board, the groups of a table.
                     * @example status
                     */
                    group_by?: string | null;
                    /**
                     * @description A `date` or `datetime` field, which a calendar needs.
                     * @example finished
                     */
                    date_field?: string | null;
                    /**
                     * @description A field of the type of `date_field`: the last day.
                     * @example null
                     */
                    end_field?: string | null;
                    /** @description Whether its maker alone sees it; only the maker says so. */
                    personal?: boolean;
                    /** @description Whether nothing but this may be changed; said by the maker or an owner. */
                    locked?: boolean;
                    /**
                     * @description Past the end means the end.
                     * @example 0
                     */
                    position?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "row_view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "structure_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open",
                     *         "kind": "board",
                     *         "filter": [
                     *           {
                     *             "field": "status",
                     *             "op": "neq",
                     *             "value": "read"
                     *           }
                     *         ],
                     *         "search": null,
                     *         "sort": "finished",
                     *         "direction": "desc",
                     *         "columns": null,
                     *         "group_by": "status",
                     *         "date_field": "finished",
                     *         "end_field": null,
                     *         "personal": false,
                     *         "locked": false,
                     *         "owner": null,
                     *         "position": 0,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRowView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The view of rows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "row_view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "structure_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open",
                     *         "kind": "board",
                     *         "filter": [
                     *           {
                     *             "field": "status",
                     *             "op": "neq",
                     *             "value": "read"
                     *           }
                     *         ],
                     *         "search": null,
                     *         "sort": "finished",
                     *         "direction": "desc",
                     *         "columns": null,
                     *         "group_by": "status",
                     *         "date_field": "finished",
                     *         "end_field": null,
                     *         "personal": false,
                     *         "locked": false,
                     *         "owner": null,
                     *         "position": 0,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteRowView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The view of rows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateRowView: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The view of rows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": [
                 *         {
                 *           "field": "status",
                 *           "op": "neq",
                 *           "value": "read"
                 *         }
                 *       ],
                 *       "sort": "finished",
                 *       "direction": "asc"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique, ignoring case, among the shared views of the structure, or among the personal ones of its owner. Must be a text of 1 to 200 characters without control characters.
                     * @example Open
                     */
                    name?: string;
                    /**
                     * @description `table` unless given.
                     * @enum {string}
                     */
                    kind?: "table" | "board" | "calendar";
                    /**
                     * @description As in a list; every condition must hold.
                     * @example [
                     *       {
                     *         "field": "status",
                     *         "op": "neq",
                     *         "value": "read"
                     *       }
                     *     ]
                     */
                    filter?: components["schemas"]["RecordCondition"][];
                    /**
                     * @description A text in any field, ignoring case: `contains` on `*`.
                     * @example middle
                     */
                    search?: string | null;
                    /**
                     * @description A field key, `created_at` or `updated_at`.
                     * @example finished
                     */
                    sort?: string | null;
                    /** @enum {string|null} */
                    direction?: "asc" | "desc" | null;
                    /** @description The fields that are shown, in this order; null for all. */
                    columns?: {
                        /** @example title */
                        key: string;
                        /** @example 240 */
                        width?: number;
                    }[] | null;
                    /**
                     * @description A `select` or `bool` field: the columns of a board, the groups of a table.
                     * @example status
                     */
                    group_by?: string | null;
                    /**
                     * @description A `date` or `datetime` field, which a calendar needs.
                     * @example finished
                     */
                    date_field?: string | null;
                    /**
                     * @description A field of the type of `date_field`: the last day.
                     * @example null
                     */
                    end_field?: string | null;
                    /** @description Whether its maker alone sees it; only the maker says so. */
                    personal?: boolean;
                    /** @description Whether nothing but this may be changed; said by the maker or an owner. */
                    locked?: boolean;
                    /**
                     * @description Past the end means the end.
                     * @example 0
                     */
                    position?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "row_view": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "structure_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Open",
                     *         "kind": "board",
                     *         "filter": [
                     *           {
                     *             "field": "status",
                     *             "op": "neq",
                     *             "value": "read"
                     *           }
                     *         ],
                     *         "search": null,
                     *         "sort": "finished",
                     *         "direction": "desc",
                     *         "columns": null,
                     *         "group_by": "status",
                     *         "date_field": "finished",
                     *         "end_field": null,
                     *         "personal": false,
                     *         "locked": false,
                     *         "owner": null,
                     *         "position": 0,
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /**
                 * @description The id or the name of a structure; required without `view`.
                 * @example Books
                 */
                structure?: string;
                /** @description The id of a view of rows: its filter holds beside `filter`; its search, sort and direction count where the request has none. */
                view?: string;
                /** @description A JSON list of `{field, op, value}`, all of which must hold. */
                filter?: string;
                /** @description A text in any field, ignoring case: `contains` on `*`. */
                search?: string;
                /** @description A field key, `created_at` or `updated_at`. */
                sort?: string;
                /** @description `desc` unless given. */
                direction?: "asc" | "desc";
                /** @description Whether to list the deleted rows instead, most recently deleted first; only `structure`, `limit`, and `offset` or `cursor` go with it. */
                deleted?: boolean;
                /** @description Up to 5 paths of `record`, `note`, `file` and `user` fields, separated by commas, each of one or two fields: `author,publisher.country`. The objects that they name are in `expanded`. */
                expand?: string;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
                /** @description Pages that neither repeat nor skip a result while others write: `start` for the first one, then the `next_cursor` of the page before. Repeat everything else unchanged, and leave `offset` out. */
                cursor?: string;
                /** @description Whether a page by `cursor` has `total`; a page by `offset` always has it. */
                total?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "data": {
                     *             "title": "Middlemarch",
                     *             "pages": 880,
                     *             "status": "read",
                     *             "finished": "2026-11-20"
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "deleted_at": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false,
                     *       "next_cursor": null,
                     *       "expanded": {},
                     *       "expanded_truncated": true
                     *     }
                     */
                    "application/json": {
                        records: components["schemas"]["Record"][];
                        /**
                         * @description Rows that match, on all pages. Pages by `cursor` have it only with `total=true`.
                         * @example 1
                         */
                        total: number;
                        /**
                         * @description Whether results follow.
                         * @example false
                         */
                        has_more: boolean;
                        /** @description In a page by `cursor`: the `cursor` of the next page, at most 500 URL-safe characters; null on the last page. */
                        next_cursor?: string | null;
                        /** @description With `expand`: the objects by id, each once; those out of reach are absent. */
                        expanded?: Record<string, never>;
                        /**
                         * @description Set when there are more than 1,000 objects.
                         * @constant
                         */
                        expanded_truncated?: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    writeRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "structure": "Books",
                 *       "data": {
                 *         "title": "Middlemarch",
                 *         "pages": 880,
                 *         "status": "read",
                 *         "finished": "2026-11-20"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WriteRow"] | components["schemas"]["WriteRows"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "written": 1,
                     *       "inserted": 1,
                     *       "updated": 0,
                     *       "records": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "data": {
                     *             "title": "Middlemarch",
                     *             "pages": 880,
                     *             "status": "read",
                     *             "finished": "2026-11-20"
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z",
                     *           "deleted_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Rows inserted and updated.
                         * @example 1
                         */
                        written: number;
                        /** @example 1 */
                        inserted: number;
                        /** @example 0 */
                        updated: number;
                        /** @description In the order sent. */
                        records: components["schemas"]["Record"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    watchRecords: {
        parameters: {
            query?: {
                /**
                 * @description The id or the name of a structure; required without `view`.
                 * @example Books
                 */
                structure?: string;
                /** @description The id of a view of rows: its filter holds beside `filter`; its search, sort and direction count where the request has none. */
                view?: string;
                /** @description A JSON list of `{field, op, value}`, all of which must hold. */
                filter?: string;
                /** @description A text in any field, ignoring case: `contains` on `*`. */
                search?: string;
                /** @description A field key, `created_at` or `updated_at`. */
                sort?: string;
                /** @description `desc` unless given. */
                direction?: "asc" | "desc";
                /** @description The maximum number of results. */
                limit?: number;
                /** @description Up to 5 paths of `record`, `note`, `file` and `user` fields, separated by commas, each of one or two fields: `author,publisher.country`. The objects that they name are in `expanded`. */
                expand?: string;
                /** @description Whether answers after the first say what changed. */
                changes?: boolean;
            };
            header?: {
                /** @description The `id` of the last event that was received; a browser sends it when it reconnects. */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 2000
                     *     id: 5d0c7e91ab34-1-a3f09c1d77be-2q8xk0m4v1t7c
                     *     event: answer
                     *     data: {"structure":{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","name":"Books","fields":[]},"records":[],"total":0,"has_more":false}
                     *
                     *     : alive
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    summariseRecords: {
        parameters: {
            query?: {
                /**
                 * @description The id or the name of a structure; required without `view`.
                 * @example Books
                 */
                structure?: string;
                /** @description The id of a view of rows: its filter holds beside `filter`; its search, sort and direction count where the request has none. */
                view?: string;
                /** @description A JSON list of `{field, op, value}`, all of which must hold. */
                filter?: string;
                /** @description A text in any field, ignoring case: `contains` on `*`. */
                search?: string;
                /** @description A number field to add up. */
                field?: string;
                period?: "day" | "week" | "month" | "year";
                /** @description One bucket for each value of this field. */
                by?: string;
                /** @description The date of a row: a date or datetime field, `created_at` (the default) or `updated_at`. */
                date?: string;
                /** @description An IANA time zone; `UTC` unless given. */
                tz?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "period": "2026-11-01",
                     *           "value": "open",
                     *           "count": 2,
                     *           "sum": 3,
                     *           "average": 3,
                     *           "min": 3,
                     *           "max": 3
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        buckets: components["schemas"]["Bucket"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    readBoard: {
        parameters: {
            query?: {
                /**
                 * @description The id or the name of a structure; required without `view`.
                 * @example Books
                 */
                structure?: string;
                /** @description The id of a view of rows: its filter holds beside `filter`; its search, sort and direction count where the request has none. */
                view?: string;
                /** @description A JSON list of `{field, op, value}`, all of which must hold. */
                filter?: string;
                /** @description A text in any field, ignoring case: `contains` on `*`. */
                search?: string;
                /** @description A field key, `created_at` or `updated_at`. */
                sort?: string;
                /** @description `desc` unless given. */
                direction?: "asc" | "desc";
                /** @description A `select` or `bool` field, whose values are the columns; that of the view unless given. */
                group_by?: string;
                /** @description Cards of each column; 50 unless given. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "columns": [
                     *         {
                     *           "value": "open",
                     *           "total": 1,
                     *           "records": [
                     *             {
                     *               "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "data": {
                     *                 "title": "Middlemarch",
                     *                 "pages": 880,
                     *                 "status": "read",
                     *                 "finished": "2026-11-20"
                     *               },
                     *               "created_at": "2026-11-21T09:30:00.000Z",
                     *               "updated_at": "2026-11-21T09:30:00.000Z",
                     *               "deleted_at": null
                     *             }
                     *           ],
                     *           "has_more": false
                     *         }
                     *       ],
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        columns: components["schemas"]["BoardColumn"][];
                        /**
                         * @description Rows of all columns.
                         * @example 1
                         */
                        total: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRecord: {
        parameters: {
            query?: {
                /** @description Up to 5 paths of `record`, `note`, `file` and `user` fields, separated by commas, each of one or two fields: `author,publisher.country`. The objects that they name are in `expanded`. */
                expand?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "data": {
                     *           "title": "Middlemarch",
                     *           "pages": 880,
                     *           "status": "read",
                     *           "finished": "2026-11-20"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "deleted_at": null
                     *       },
                     *       "structure_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *       "expanded": {},
                     *       "expanded_truncated": true
                     *     }
                     */
                    "application/json": {
                        record: components["schemas"]["Record"];
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        structure_id: string;
                        /** @description With `expand`: the objects by id, each once; those out of reach are absent. */
                        expanded?: Record<string, never>;
                        /**
                         * @description Set when there are more than 1,000 objects.
                         * @constant
                         */
                        expanded_truncated?: true;
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteRecord: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "pages": 904
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Merged into the row; null takes a value away.
                     * @example {
                     *       "title": "Middlemarch",
                     *       "pages": 880,
                     *       "status": "read",
                     *       "finished": "2026-11-20"
                     *     }
                     */
                    data: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: date-time
                     * @description The `updated_at` that was read; the call is refused when the row changed since.
                     * @example 2026-11-21T09:30:00.000Z
                     */
                    if_unchanged?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "data": {
                     *           "title": "Middlemarch",
                     *           "pages": 880,
                     *           "status": "read",
                     *           "finished": "2026-11-20"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "deleted_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRecordHistory: {
        parameters: {
            query?: {
                /** @description 50 unless given. */
                limit?: number;
                /** @description The cursor of a version; only older ones follow. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "cursor": "5d0c7e91ab34-2s",
                     *           "at": "2026-11-21T09:30:00.000Z",
                     *           "op": "updated",
                     *           "changed": [
                     *             "status"
                     *           ],
                     *           "previous": {
                     *             "status": "open"
                     *           },
                     *           "actor": {
                     *             "surface": "api",
                     *             "user_id": null,
                     *             "key_id": null,
                     *             "name": "laptop"
                     *           }
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        versions: components["schemas"]["Version"][];
                        /** @example false */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revertRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to": "5d0c7e91ab34-2s"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The cursor of a change of this row, as its history has it.
                     * @example 5d0c7e91ab34-2s
                     */
                    to: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "data": {
                     *           "title": "Middlemarch",
                     *           "pages": 880,
                     *           "status": "read",
                     *           "finished": "2026-11-20"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "deleted_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "data": {
                     *           "title": "Middlemarch",
                     *           "pages": 880,
                     *           "status": "read",
                     *           "finished": "2026-11-20"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "deleted_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The id or the name of a structure. */
                structure?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "kind": "record",
                     *           "structure": null,
                     *           "delivery": "pull",
                     *           "pending": 12,
                     *           "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *           "dropped": 0,
                     *           "url": "https://hooks.example.com/books",
                     *           "format": "json",
                     *           "template": "{event}: {record.title}",
                     *           "events": [
                     *             "record.created"
                     *           ],
                     *           "due": {
                     *             "field": "due",
                     *             "offset_days": -1,
                     *             "at": "08:00",
                     *             "tz": "Europe/Berlin"
                     *           },
                     *           "quiet_seconds": 30,
                     *           "include_content": false,
                     *           "ordered": true,
                     *           "filter": [
                     *             {
                     *               "field": "pages",
                     *               "op": "gt",
                     *               "value": 500
                     *             }
                     *           ],
                     *           "fields": [
                     *             "pages"
                     *           ],
                     *           "ignore_own_key": false,
                     *           "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "description": "Tells the shelf",
                     *           "headers": {
                     *             "Authorization": "…"
                     *           },
                     *           "enabled": false,
                     *           "status": "enabled",
                     *           "paused_at": "2026-11-21T09:30:00.000Z",
                     *           "pause_reason": "The member who created it can no longer write its target.",
                     *           "consecutive_failures": 0,
                     *           "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "structure": "Books",
                 *       "url": "https://hooks.example.com/books"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The kind of objects that the events are about; `record` unless given.
                     * @example record
                     * @enum {string}
                     */
                    kind?: "record" | "note" | "file";
                    /**
                     * @description The id or the name of a structure.
                     * @example Books
                     */
                    structure?: string;
                    /**
                     * @description A public https address; redirects are not followed.
                     * @example https://hooks.example.com/books
                     */
                    url?: string;
                    /**
                     * @description Events are not sent, but kept until `POST …/events/ack` acknowledges them: at most 30 days and 1,000,000. Without `url`, `headers` and a `format` other than `json`. It never pauses. Set at creation.
                     * @example pull
                     * @enum {string}
                     */
                    delivery?: "pull";
                    /**
                     * @description Events of its kind; by default all, `record.due` excepted.
                     * @example [
                     *       "record.created",
                     *       "record.updated"
                     *     ]
                     */
                    events?: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
                    /**
                     * @description The format of the events; `json` by default. `slack` and `discord` are the JSON that these services accept, `ntfy` and `text` are plain text. All are signed.
                     * @example json
                     * @enum {string|null}
                     */
                    format?: "json" | "slack" | "discord" | "ntfy" | "text" | null;
                    /**
                     * @description The text of the other formats, with holes: `{event}`, `{structure}`, `{changed}`, `{record.<field>}`, of a note `{note.title}`, of a file `{file.file_name}`. A value that is absent is empty.
                     * @example {event}: {record.title}
                     */
                    template?: string | null;
                    due?: components["schemas"]["WebhookDue"] | null;
                    /**
                     * @description Updates of a note that are less than this apart become one event; 30 by default. It is sent after ten times as long at the latest, and not at all if nothing differs in the end.
                     * @example 30
                     */
                    quiet_seconds?: number | null;
                    /**
                     * @description Whether events of notes include the text.
                     * @example false
                     */
                    include_content?: boolean | null;
                    /**
                     * @description Events of one object (row, note or file) are delivered one at a time in commit order. Each has `sequence`, a number that grows with every event of the subscription. Applies to what is committed from then on.
                     * @example true
                     */
                    ordered?: boolean | null;
                    /**
                     * @description Only rows that meet every condition; of notes those that a filter tree finds. Checked on the row or note after the change, for a deletion before it.
                     * @example []
                     */
                    filter?: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
                    /**
                     * @description An update fires only when one of these fields changed; null for any.
                     * @example null
                     */
                    fields?: string[] | null;
                    /** @description Writes with the API key that made the subscription do not fire it. */
                    ignore_own_key?: boolean;
                    /**
                     * @description Writes with this API key do not fire it.
                     * @example null
                     */
                    ignore_key_id?: string | null;
                    /** @example Tells the shelf */
                    description?: string | null;
                    /**
                     * @description Up to 10 headers of your own for each delivery, such as `Authorization`, by name. Their values are never shown again. Headers of HTTP itself and of the service are refused. null for none.
                     * @example {
                     *       "Authorization": "Bearer receiver-token"
                     *     }
                     */
                    headers?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description While false no event is recorded and nothing is sent. */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "record",
                     *         "structure": null,
                     *         "delivery": "pull",
                     *         "pending": 12,
                     *         "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *         "dropped": 0,
                     *         "url": "https://hooks.example.com/books",
                     *         "format": "json",
                     *         "template": "{event}: {record.title}",
                     *         "events": [
                     *           "record.created"
                     *         ],
                     *         "due": {
                     *           "field": "due",
                     *           "offset_days": -1,
                     *           "at": "08:00",
                     *           "tz": "Europe/Berlin"
                     *         },
                     *         "quiet_seconds": 30,
                     *         "include_content": false,
                     *         "ordered": true,
                     *         "filter": [
                     *           {
                     *             "field": "pages",
                     *             "op": "gt",
                     *             "value": 500
                     *           }
                     *         ],
                     *         "fields": [
                     *           "pages"
                     *         ],
                     *         "ignore_own_key": false,
                     *         "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "description": "Tells the shelf",
                     *         "headers": {
                     *           "Authorization": "…"
                     *         },
                     *         "enabled": false,
                     *         "status": "enabled",
                     *         "paused_at": "2026-11-21T09:30:00.000Z",
                     *         "pause_reason": "The member who created it can no longer write its target.",
                     *         "consecutive_failures": 0,
                     *         "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0="
                     *     }
                     */
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /**
                         * @description Signs the deliveries; null with `pull`. Shown only now: it is left out when the answer is repeated for an `Idempotency-Key`.
                         * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0=
                         */
                        secret?: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "record",
                     *         "structure": null,
                     *         "delivery": "pull",
                     *         "pending": 12,
                     *         "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *         "dropped": 0,
                     *         "url": "https://hooks.example.com/books",
                     *         "format": "json",
                     *         "template": "{event}: {record.title}",
                     *         "events": [
                     *           "record.created"
                     *         ],
                     *         "due": {
                     *           "field": "due",
                     *           "offset_days": -1,
                     *           "at": "08:00",
                     *           "tz": "Europe/Berlin"
                     *         },
                     *         "quiet_seconds": 30,
                     *         "include_content": false,
                     *         "ordered": true,
                     *         "filter": [
                     *           {
                     *             "field": "pages",
                     *             "op": "gt",
                     *             "value": 500
                     *           }
                     *         ],
                     *         "fields": [
                     *           "pages"
                     *         ],
                     *         "ignore_own_key": false,
                     *         "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "description": "Tells the shelf",
                     *         "headers": {
                     *           "Authorization": "…"
                     *         },
                     *         "enabled": false,
                     *         "status": "enabled",
                     *         "paused_at": "2026-11-21T09:30:00.000Z",
                     *         "pause_reason": "The member who created it can no longer write its target.",
                     *         "consecutive_failures": 0,
                     *         "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": [
                 *         {
                 *           "field": "pages",
                 *           "op": "gt",
                 *           "value": 500
                 *         }
                 *       ],
                 *       "description": "Tells the shelf"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A public https address; redirects are not followed.
                     * @example https://hooks.example.com/books
                     */
                    url?: string;
                    /**
                     * @description Events of its kind; by default all, `record.due` excepted.
                     * @example [
                     *       "record.created",
                     *       "record.updated"
                     *     ]
                     */
                    events?: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
                    /**
                     * @description The format of the events; `json` by default. `slack` and `discord` are the JSON that these services accept, `ntfy` and `text` are plain text. All are signed.
                     * @example json
                     * @enum {string|null}
                     */
                    format?: "json" | "slack" | "discord" | "ntfy" | "text" | null;
                    /**
                     * @description The text of the other formats, with holes: `{event}`, `{structure}`, `{changed}`, `{record.<field>}`, of a note `{note.title}`, of a file `{file.file_name}`. A value that is absent is empty.
                     * @example {event}: {record.title}
                     */
                    template?: string | null;
                    due?: components["schemas"]["WebhookDue"] | null;
                    /**
                     * @description Updates of a note that are less than this apart become one event; 30 by default. It is sent after ten times as long at the latest, and not at all if nothing differs in the end.
                     * @example 30
                     */
                    quiet_seconds?: number | null;
                    /**
                     * @description Whether events of notes include the text.
                     * @example false
                     */
                    include_content?: boolean | null;
                    /**
                     * @description Events of one object (row, note or file) are delivered one at a time in commit order. Each has `sequence`, a number that grows with every event of the subscription. Applies to what is committed from then on.
                     * @example true
                     */
                    ordered?: boolean | null;
                    /**
                     * @description Only rows that meet every condition; of notes those that a filter tree finds. Checked on the row or note after the change, for a deletion before it.
                     * @example []
                     */
                    filter?: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
                    /**
                     * @description An update fires only when one of these fields changed; null for any.
                     * @example null
                     */
                    fields?: string[] | null;
                    /** @description Writes with the API key that made the subscription do not fire it. */
                    ignore_own_key?: boolean;
                    /**
                     * @description Writes with this API key do not fire it.
                     * @example null
                     */
                    ignore_key_id?: string | null;
                    /** @example Tells the shelf */
                    description?: string | null;
                    /**
                     * @description Up to 10 headers of your own for each delivery, such as `Authorization`, by name. Their values are never shown again. Headers of HTTP itself and of the service are refused. null for none.
                     * @example {
                     *       "Authorization": "Bearer receiver-token"
                     *     }
                     */
                    headers?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description While false no event is recorded and nothing is sent. */
                    enabled?: boolean;
                    /**
                     * @description true ends a pause and sends what waits.
                     * @example true
                     */
                    resume?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "record",
                     *         "structure": null,
                     *         "delivery": "pull",
                     *         "pending": 12,
                     *         "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *         "dropped": 0,
                     *         "url": "https://hooks.example.com/books",
                     *         "format": "json",
                     *         "template": "{event}: {record.title}",
                     *         "events": [
                     *           "record.created"
                     *         ],
                     *         "due": {
                     *           "field": "due",
                     *           "offset_days": -1,
                     *           "at": "08:00",
                     *           "tz": "Europe/Berlin"
                     *         },
                     *         "quiet_seconds": 30,
                     *         "include_content": false,
                     *         "ordered": true,
                     *         "filter": [
                     *           {
                     *             "field": "pages",
                     *             "op": "gt",
                     *             "value": 500
                     *           }
                     *         ],
                     *         "fields": [
                     *           "pages"
                     *         ],
                     *         "ignore_own_key": false,
                     *         "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "description": "Tells the shelf",
                     *         "headers": {
                     *           "Authorization": "…"
                     *         },
                     *         "enabled": false,
                     *         "status": "enabled",
                     *         "paused_at": "2026-11-21T09:30:00.000Z",
                     *         "pause_reason": "The member who created it can no longer write its target.",
                     *         "consecutive_failures": 0,
                     *         "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "record",
                     *         "structure": null,
                     *         "delivery": "pull",
                     *         "pending": 12,
                     *         "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *         "dropped": 0,
                     *         "url": "https://hooks.example.com/books",
                     *         "format": "json",
                     *         "template": "{event}: {record.title}",
                     *         "events": [
                     *           "record.created"
                     *         ],
                     *         "due": {
                     *           "field": "due",
                     *           "offset_days": -1,
                     *           "at": "08:00",
                     *           "tz": "Europe/Berlin"
                     *         },
                     *         "quiet_seconds": 30,
                     *         "include_content": false,
                     *         "ordered": true,
                     *         "filter": [
                     *           {
                     *             "field": "pages",
                     *             "op": "gt",
                     *             "value": 500
                     *           }
                     *         ],
                     *         "fields": [
                     *           "pages"
                     *         ],
                     *         "ignore_own_key": false,
                     *         "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "description": "Tells the shelf",
                     *         "headers": {
                     *           "Authorization": "…"
                     *         },
                     *         "enabled": false,
                     *         "status": "enabled",
                     *         "paused_at": "2026-11-21T09:30:00.000Z",
                     *         "pause_reason": "The member who created it can no longer write its target.",
                     *         "consecutive_failures": 0,
                     *         "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0="
                     *     }
                     */
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /**
                         * @description Shown only now.
                         * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0=
                         */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": {
                    /**
                     * @description For how long both secrets sign.
                     * @example 24
                     */
                    overlap_hours: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "record",
                     *         "structure": null,
                     *         "delivery": "pull",
                     *         "pending": 12,
                     *         "oldest_pending_at": "2026-11-21T09:30:00.000Z",
                     *         "dropped": 0,
                     *         "url": "https://hooks.example.com/books",
                     *         "format": "json",
                     *         "template": "{event}: {record.title}",
                     *         "events": [
                     *           "record.created"
                     *         ],
                     *         "due": {
                     *           "field": "due",
                     *           "offset_days": -1,
                     *           "at": "08:00",
                     *           "tz": "Europe/Berlin"
                     *         },
                     *         "quiet_seconds": 30,
                     *         "include_content": false,
                     *         "ordered": true,
                     *         "filter": [
                     *           {
                     *             "field": "pages",
                     *             "op": "gt",
                     *             "value": 500
                     *           }
                     *         ],
                     *         "fields": [
                     *           "pages"
                     *         ],
                     *         "ignore_own_key": false,
                     *         "ignore_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "description": "Tells the shelf",
                     *         "headers": {
                     *           "Authorization": "…"
                     *         },
                     *         "enabled": false,
                     *         "status": "enabled",
                     *         "paused_at": "2026-11-21T09:30:00.000Z",
                     *         "pause_reason": "The member who created it can no longer write its target.",
                     *         "consecutive_failures": 0,
                     *         "created_by_key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0="
                     *     }
                     */
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /**
                         * @description Shown only now.
                         * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0=
                         */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "webhook_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event": "record.created",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "object_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "sequence": 12,
                     *         "status": "delivered",
                     *         "attempts": 1,
                     *         "response_status": 200,
                     *         "error": "The receiver answered 503.",
                     *         "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "delivered_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                /** @description The id of a delivery: only older ones are listed. */
                before?: string;
                /** @description The maximum number of results. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "webhook_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "event": "record.created",
                     *           "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "object_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "sequence": 12,
                     *           "status": "delivered",
                     *           "attempts": 1,
                     *           "response_status": 200,
                     *           "error": "The receiver answered 503.",
                     *           "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *           "delivered_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        deliveries: components["schemas"]["Delivery"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPulledEvents: {
        parameters: {
            query?: {
                /** @description A cursor: only later events. `start` for the oldest kept. */
                after?: string;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description For how many seconds an empty page waits for an event. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "cursor": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12",
                     *           "payload": {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "type": "record.updated",
                     *             "occurred_at": "2026-11-21T09:30:00.000Z",
                     *             "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "structure": null,
                     *             "record": null,
                     *             "changed": [
                     *               "pages"
                     *             ],
                     *             "previous": {
                     *               "pages": 875
                     *             },
                     *             "data": {
                     *               "due_at": "2026-11-21T09:30:00.000Z"
                     *             },
                     *             "source": {
                     *               "surface": "api",
                     *               "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *             },
                     *             "sequence": 12
                     *           }
                     *         }
                     *       ],
                     *       "acknowledged": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        events: {
                            /**
                             * @description Acknowledges this event and all before it.
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12
                             */
                            cursor: string;
                            payload: components["schemas"]["DeliveredEvent"];
                        }[];
                        /**
                         * @description null before the first acknowledgement.
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12
                         */
                        acknowledged: string | null;
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    acknowledgeEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cursor": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The cursor of the last event that is done.
                     * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12
                     */
                    cursor: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "acknowledged": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12",
                     *       "pending": 0
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The last acknowledged cursor.
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60.12
                         */
                        acknowledged: string | null;
                        /**
                         * @description The events that it still keeps.
                         * @example 0
                         */
                        pending: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    recoverDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-21T09:30:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Deliveries that failed for good at this instant or later. Must be an instant such as 2026-11-21T09:30:00.000Z.
                     * @example 2026-11-21T09:30:00.000Z
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "redelivered": 12
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description How many deliveries are sent again.
                         * @example 12
                         */
                        redelivered: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
                /** @description The delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "webhook_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event": "record.created",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "object_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "sequence": 12,
                     *         "status": "delivered",
                     *         "attempts": 1,
                     *         "response_status": 200,
                     *         "error": "The receiver answered 503.",
                     *         "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "delivered_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "body": "{\"id\":\"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60\",\"type\":\"webhook.test\"}",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-11-21T09:30:00.000Z",
                     *           "response_status": 503,
                     *           "error": "The receiver answered 503.",
                     *           "ms": 41
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                        /**
                         * @description The text that is sent, byte for byte.
                         * @example {"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","type":"webhook.test"}
                         */
                        body: string;
                        /** @description The newest 50, oldest first, including those before the last redelivery. Empty for deliveries of versions that stored none. */
                        attempts: components["schemas"]["Attempt"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                id: string;
                /** @description The delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "webhook_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event": "record.created",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "object_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "sequence": 12,
                     *         "status": "delivered",
                     *         "attempts": 1,
                     *         "response_status": 200,
                     *         "error": "The receiver answered 503.",
                     *         "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "delivered_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listShares: {
        parameters: {
            query?: {
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "shares": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "kind": "note",
                     *           "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "For the printers",
                     *           "url": "https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw",
                     *           "options": {},
                     *           "has_password": false,
                     *           "expires_at": "2026-11-21T09:30:00.000Z",
                     *           "created_by": {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Ada"
                     *           },
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "last_used_at": "2026-11-21T09:30:00.000Z",
                     *           "uses": 12
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        shares: components["schemas"]["Share"][];
                        /** @example 1 */
                        total: number;
                        /** @example false */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "note",
                 *       "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *     }
                 */
                "application/json": {
                    /**
                     * @example note
                     * @enum {string}
                     */
                    kind: "note" | "view" | "row_view" | "form";
                    /** @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 */
                    target_id: string;
                    /**
                     * @description Must be a text of 1 to 200 characters without control characters, or null.
                     * @example For the printers
                     */
                    name?: string | null;
                    /** @description Required before anything is shown; not for forms. */
                    password?: string | null;
                    /**
                     * Format: date-time
                     * @description When it ends; null for never. Must be a date and time with offset, such as 2026-12-24T18:00:00Z, or null.
                     * @example 2026-12-24T18:00:00Z
                     */
                    expires_at?: string | null;
                    /**
                     * @description Of a form: `title`, `text`, `fields` (`[{key, label, help, required}]`; all if left out), `hidden` (`{key: value}`), `prefill`, `done_text`, `closes_at`, `max_rows`, `per_address_per_day`, `tz`. Of a view of rows: `csv`. Replaced whole.
                     * @example {}
                     */
                    options?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "share": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "note",
                     *         "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "For the printers",
                     *         "url": "https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw",
                     *         "options": {},
                     *         "has_password": false,
                     *         "expires_at": "2026-11-21T09:30:00.000Z",
                     *         "created_by": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Ada"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_used_at": "2026-11-21T09:30:00.000Z",
                     *         "uses": 12
                     *       }
                     *     }
                     */
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The share. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "share": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "note",
                     *         "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "For the printers",
                     *         "url": "https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw",
                     *         "options": {},
                     *         "has_password": false,
                     *         "expires_at": "2026-11-21T09:30:00.000Z",
                     *         "created_by": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Ada"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_used_at": "2026-11-21T09:30:00.000Z",
                     *         "uses": 12
                     *       }
                     *     }
                     */
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The share. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The share. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": "2026-12-24T18:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 200 characters without control characters, or null.
                     * @example For the printers
                     */
                    name?: string | null;
                    /** @description Required before anything is shown; not for forms. */
                    password?: string | null;
                    /**
                     * Format: date-time
                     * @description When it ends; null for never. Must be a date and time with offset, such as 2026-12-24T18:00:00Z, or null.
                     * @example 2026-12-24T18:00:00Z
                     */
                    expires_at?: string | null;
                    /**
                     * @description Of a form: `title`, `text`, `fields` (`[{key, label, help, required}]`; all if left out), `hidden` (`{key: value}`), `prefill`, `done_text`, `closes_at`, `max_rows`, `per_address_per_day`, `tz`. Of a view of rows: `csv`. Replaced whole.
                     * @example {}
                     */
                    options?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "share": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "note",
                     *         "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "For the printers",
                     *         "url": "https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw",
                     *         "options": {},
                     *         "has_password": false,
                     *         "expires_at": "2026-11-21T09:30:00.000Z",
                     *         "created_by": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Ada"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_used_at": "2026-11-21T09:30:00.000Z",
                     *         "uses": 12
                     *       }
                     *     }
                     */
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The share. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "share": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "kind": "note",
                     *         "target_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "For the printers",
                     *         "url": "https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw",
                     *         "options": {},
                     *         "has_password": false,
                     *         "expires_at": "2026-11-21T09:30:00.000Z",
                     *         "created_by": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Ada"
                     *         },
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_used_at": "2026-11-21T09:30:00.000Z",
                     *         "uses": 12
                     *       }
                     *     }
                     */
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sources": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Card payments",
                     *           "structure": {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "name": "Books"
                     *           },
                     *           "provider": "stripe",
                     *           "options": {},
                     *           "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *           "map": {
                     *             "title": "/data/object/description",
                     *             "pages": {
                     *               "path": "/data/object/amount",
                     *               "as": "cents"
                     *             }
                     *           },
                     *           "external_id": "/id",
                     *           "event": "/type",
                     *           "when": [
                     *             {
                     *               "event": true,
                     *               "op": "eq",
                     *               "value": "charge.succeeded"
                     *             }
                     *           ],
                     *           "on_conflict": "refuse",
                     *           "newer_by": "paid_at",
                     *           "forward": [
                     *             {
                     *               "url": "https://books.example.com/stripe",
                     *               "when": [
                     *                 {
                     *                   "event": true,
                     *                   "op": "eq",
                     *                   "value": "charge.succeeded"
                     *                 }
                     *               ],
                     *               "status": "enabled",
                     *               "paused_at": "2026-11-21T09:30:00.000Z",
                     *               "consecutive_failures": 0
                     *             }
                     *           ],
                     *           "enabled": false,
                     *           "description": "Live mode",
                     *           "counts": {
                     *             "written": 0,
                     *             "updated": 0,
                     *             "duplicate": 0,
                     *             "ignored": 0,
                     *             "stale": 0,
                     *             "unmapped": 0,
                     *             "rejected": 0
                     *           },
                     *           "last_event_at": "2026-11-21T09:30:00.000Z",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        sources: components["schemas"]["Source"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Card payments",
                 *       "structure": "Books",
                 *       "provider": "stripe",
                 *       "secret": "whsec_EXAMPLEc2VjcmV0",
                 *       "map": {
                 *         "title": "/data/object/description",
                 *         "pages": {
                 *           "path": "/data/object/amount",
                 *           "as": "cents"
                 *         }
                 *       },
                 *       "when": [
                 *         {
                 *           "event": true,
                 *           "op": "eq",
                 *           "value": "charge.succeeded"
                 *         }
                 *       ],
                 *       "forward": [
                 *         {
                 *           "url": "https://books.example.com/stripe"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 200 characters without control characters.
                     * @example Card payments
                     */
                    name: string;
                    /**
                     * @description The id or the name of a structure.
                     * @example Books
                     */
                    structure: string;
                    /** @enum {string} */
                    provider: "stripe" | "github" | "standard" | "shopify" | "slack" | "hmac" | "basic" | "bearer" | "none";
                    /**
                     * @description `hmac`: `{header, algorithm: sha1|sha256|sha512, encoding: hex|base64, prefix?}`; `basic`: `{user}`; `none`: `{unverified: true}`.
                     * @example {}
                     */
                    options?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description With which the provider signs. It is never shown again. Must be a text of 1 to 4,096 characters.
                     * @example whsec_EXAMPLEc2VjcmV0
                     */
                    secret?: string;
                    /**
                     * @description Where the value of each field is, by its key: a JSON pointer, `header:Name`, or `{path | header | value, as?, default?}` with `as` of `text`, `number`, `bool`, `json`, `epoch_s`, `epoch_ms`, `cents`.
                     * @example {
                     *       "title": "/data/object/description",
                     *       "pages": {
                     *         "path": "/data/object/amount",
                     *         "as": "cents"
                     *       }
                     *     }
                     */
                    map?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Where the id of an event is, as in `map`.
                     * @example null
                     */
                    external_id?: string | null;
                    /**
                     * @description Where the type of an event is, as in `map`.
                     * @example null
                     */
                    event?: string | null;
                    /**
                     * @description Only events that meet all conditions become rows: `{path | header | event: true, op: eq|neq|in|not_in|exists|starts_with, value}`.
                     * @example [
                     *       {
                     *         "event": true,
                     *         "op": "eq",
                     *         "value": "charge.succeeded"
                     *       }
                     *     ]
                     */
                    when?: unknown[];
                    /**
                     * @description Of a row that collides in a unique field. `refuse` unless given.
                     * @enum {string}
                     */
                    on_conflict?: "refuse" | "update";
                    /**
                     * @description A number, date or datetime: an update with a lower value writes nothing.
                     * @example null
                     */
                    newer_by?: string | null;
                    /**
                     * @description Up to 5 URLs that every verified event is passed on to, with its body and headers, so that the library of the provider verifies it there.
                     * @example [
                     *       {
                     *         "url": "https://books.example.com/stripe"
                     *       }
                     *     ]
                     */
                    forward?: {
                        /**
                         * @description A public https address; redirects are not followed.
                         * @example https://books.example.com/stripe
                         */
                        url: string;
                        /**
                         * @description Only events that meet all conditions, as in `when`.
                         * @example [
                         *       {
                         *         "event": true,
                         *         "op": "eq",
                         *         "value": "charge.succeeded"
                         *       }
                         *     ]
                         */
                        when?: unknown[];
                    }[];
                    /** @description While false, events are stored as ignored. */
                    enabled?: boolean;
                    /** @example Live mode */
                    description?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Card payments",
                     *         "structure": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books"
                     *         },
                     *         "provider": "stripe",
                     *         "options": {},
                     *         "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *         "map": {
                     *           "title": "/data/object/description",
                     *           "pages": {
                     *             "path": "/data/object/amount",
                     *             "as": "cents"
                     *           }
                     *         },
                     *         "external_id": "/id",
                     *         "event": "/type",
                     *         "when": [
                     *           {
                     *             "event": true,
                     *             "op": "eq",
                     *             "value": "charge.succeeded"
                     *           }
                     *         ],
                     *         "on_conflict": "refuse",
                     *         "newer_by": "paid_at",
                     *         "forward": [
                     *           {
                     *             "url": "https://books.example.com/stripe",
                     *             "when": [
                     *               {
                     *                 "event": true,
                     *                 "op": "eq",
                     *                 "value": "charge.succeeded"
                     *               }
                     *             ],
                     *             "status": "enabled",
                     *             "paused_at": "2026-11-21T09:30:00.000Z",
                     *             "consecutive_failures": 0
                     *           }
                     *         ],
                     *         "enabled": false,
                     *         "description": "Live mode",
                     *         "counts": {
                     *           "written": 0,
                     *           "updated": 0,
                     *           "duplicate": 0,
                     *           "ignored": 0,
                     *           "stale": 0,
                     *           "unmapped": 0,
                     *           "rejected": 0
                     *         },
                     *         "last_event_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSource: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Card payments",
                     *         "structure": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books"
                     *         },
                     *         "provider": "stripe",
                     *         "options": {},
                     *         "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *         "map": {
                     *           "title": "/data/object/description",
                     *           "pages": {
                     *             "path": "/data/object/amount",
                     *             "as": "cents"
                     *           }
                     *         },
                     *         "external_id": "/id",
                     *         "event": "/type",
                     *         "when": [
                     *           {
                     *             "event": true,
                     *             "op": "eq",
                     *             "value": "charge.succeeded"
                     *           }
                     *         ],
                     *         "on_conflict": "refuse",
                     *         "newer_by": "paid_at",
                     *         "forward": [
                     *           {
                     *             "url": "https://books.example.com/stripe",
                     *             "when": [
                     *               {
                     *                 "event": true,
                     *                 "op": "eq",
                     *                 "value": "charge.succeeded"
                     *               }
                     *             ],
                     *             "status": "enabled",
                     *             "paused_at": "2026-11-21T09:30:00.000Z",
                     *             "consecutive_failures": 0
                     *           }
                     *         ],
                     *         "enabled": false,
                     *         "description": "Live mode",
                     *         "counts": {
                     *           "written": 0,
                     *           "updated": 0,
                     *           "duplicate": 0,
                     *           "ignored": 0,
                     *           "stale": 0,
                     *           "unmapped": 0,
                     *           "rejected": 0
                     *         },
                     *         "last_event_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
            /** @description The object matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSource: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *     }
                     */
                    "application/json": {
                        /** @example true */
                        deleted: boolean;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSource: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Live mode",
                 *       "enabled": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Must be a text of 1 to 200 characters without control characters.
                     * @example Card payments
                     */
                    name?: string;
                    /**
                     * @description `hmac`: `{header, algorithm: sha1|sha256|sha512, encoding: hex|base64, prefix?}`; `basic`: `{user}`; `none`: `{unverified: true}`.
                     * @example {}
                     */
                    options?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description With which the provider signs. It is never shown again. Must be a text of 1 to 4,096 characters.
                     * @example whsec_EXAMPLEc2VjcmV0
                     */
                    secret?: string;
                    /**
                     * @description Where the value of each field is, by its key: a JSON pointer, `header:Name`, or `{path | header | value, as?, default?}` with `as` of `text`, `number`, `bool`, `json`, `epoch_s`, `epoch_ms`, `cents`.
                     * @example {
                     *       "title": "/data/object/description",
                     *       "pages": {
                     *         "path": "/data/object/amount",
                     *         "as": "cents"
                     *       }
                     *     }
                     */
                    map?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Where the id of an event is, as in `map`.
                     * @example null
                     */
                    external_id?: string | null;
                    /**
                     * @description Where the type of an event is, as in `map`.
                     * @example null
                     */
                    event?: string | null;
                    /**
                     * @description Only events that meet all conditions become rows: `{path | header | event: true, op: eq|neq|in|not_in|exists|starts_with, value}`.
                     * @example [
                     *       {
                     *         "event": true,
                     *         "op": "eq",
                     *         "value": "charge.succeeded"
                     *       }
                     *     ]
                     */
                    when?: unknown[];
                    /**
                     * @description Of a row that collides in a unique field. `refuse` unless given.
                     * @enum {string}
                     */
                    on_conflict?: "refuse" | "update";
                    /**
                     * @description A number, date or datetime: an update with a lower value writes nothing.
                     * @example null
                     */
                    newer_by?: string | null;
                    /**
                     * @description Up to 5 URLs that every verified event is passed on to, with its body and headers, so that the library of the provider verifies it there.
                     * @example [
                     *       {
                     *         "url": "https://books.example.com/stripe"
                     *       }
                     *     ]
                     */
                    forward?: {
                        /**
                         * @description A public https address; redirects are not followed.
                         * @example https://books.example.com/stripe
                         */
                        url: string;
                        /**
                         * @description Only events that meet all conditions, as in `when`.
                         * @example [
                         *       {
                         *         "event": true,
                         *         "op": "eq",
                         *         "value": "charge.succeeded"
                         *       }
                         *     ]
                         */
                        when?: unknown[];
                    }[];
                    /** @description While false, events are stored as ignored. */
                    enabled?: boolean;
                    /** @example Live mode */
                    description?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Card payments",
                     *         "structure": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books"
                     *         },
                     *         "provider": "stripe",
                     *         "options": {},
                     *         "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *         "map": {
                     *           "title": "/data/object/description",
                     *           "pages": {
                     *             "path": "/data/object/amount",
                     *             "as": "cents"
                     *           }
                     *         },
                     *         "external_id": "/id",
                     *         "event": "/type",
                     *         "when": [
                     *           {
                     *             "event": true,
                     *             "op": "eq",
                     *             "value": "charge.succeeded"
                     *           }
                     *         ],
                     *         "on_conflict": "refuse",
                     *         "newer_by": "paid_at",
                     *         "forward": [
                     *           {
                     *             "url": "https://books.example.com/stripe",
                     *             "when": [
                     *               {
                     *                 "event": true,
                     *                 "op": "eq",
                     *                 "value": "charge.succeeded"
                     *               }
                     *             ],
                     *             "status": "enabled",
                     *             "paused_at": "2026-11-21T09:30:00.000Z",
                     *             "consecutive_failures": 0
                     *           }
                     *         ],
                     *         "enabled": false,
                     *         "description": "Live mode",
                     *         "counts": {
                     *           "written": 0,
                     *           "updated": 0,
                     *           "duplicate": 0,
                     *           "ignored": 0,
                     *           "stale": 0,
                     *           "unmapped": 0,
                     *           "rejected": 0
                     *         },
                     *         "last_event_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Card payments",
                     *         "structure": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books"
                     *         },
                     *         "provider": "stripe",
                     *         "options": {},
                     *         "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *         "map": {
                     *           "title": "/data/object/description",
                     *           "pages": {
                     *             "path": "/data/object/amount",
                     *             "as": "cents"
                     *           }
                     *         },
                     *         "external_id": "/id",
                     *         "event": "/type",
                     *         "when": [
                     *           {
                     *             "event": true,
                     *             "op": "eq",
                     *             "value": "charge.succeeded"
                     *           }
                     *         ],
                     *         "on_conflict": "refuse",
                     *         "newer_by": "paid_at",
                     *         "forward": [
                     *           {
                     *             "url": "https://books.example.com/stripe",
                     *             "when": [
                     *               {
                     *                 "event": true,
                     *                 "op": "eq",
                     *                 "value": "charge.succeeded"
                     *               }
                     *             ],
                     *             "status": "enabled",
                     *             "paused_at": "2026-11-21T09:30:00.000Z",
                     *             "consecutive_failures": 0
                     *           }
                     *         ],
                     *         "enabled": false,
                     *         "description": "Live mode",
                     *         "counts": {
                     *           "written": 0,
                     *           "updated": 0,
                     *           "duplicate": 0,
                     *           "ignored": 0,
                     *           "stale": 0,
                     *           "unmapped": 0,
                     *           "rejected": 0
                     *         },
                     *         "last_event_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSourceDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                /** @description The id of a delivery: only older ones are listed. */
                before?: string;
                /** @description The maximum number of results. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "source_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "url": "https://books.example.com/stripe",
                     *           "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "event": "charge.succeeded",
                     *           "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "status": "delivered",
                     *           "attempts": 1,
                     *           "response_status": 200,
                     *           "error": "target removed",
                     *           "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *           "delivered_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        deliveries: components["schemas"]["SourceDelivery"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverSourceEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
                /** @description The delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "source_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "url": "https://books.example.com/stripe",
                     *         "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "event": "charge.succeeded",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "status": "delivered",
                     *         "attempts": 1,
                     *         "response_status": 200,
                     *         "error": "target removed",
                     *         "next_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "last_attempt_at": "2026-11-21T09:30:00.000Z",
                     *         "delivered_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        delivery: components["schemas"]["SourceDelivery"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resumeSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://books.example.com/stripe"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A URL of `forward`.
                     * @example https://books.example.com/stripe
                     */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "name": "Card payments",
                     *         "structure": {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "name": "Books"
                     *         },
                     *         "provider": "stripe",
                     *         "options": {},
                     *         "url": "https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b",
                     *         "map": {
                     *           "title": "/data/object/description",
                     *           "pages": {
                     *             "path": "/data/object/amount",
                     *             "as": "cents"
                     *           }
                     *         },
                     *         "external_id": "/id",
                     *         "event": "/type",
                     *         "when": [
                     *           {
                     *             "event": true,
                     *             "op": "eq",
                     *             "value": "charge.succeeded"
                     *           }
                     *         ],
                     *         "on_conflict": "refuse",
                     *         "newer_by": "paid_at",
                     *         "forward": [
                     *           {
                     *             "url": "https://books.example.com/stripe",
                     *             "when": [
                     *               {
                     *                 "event": true,
                     *                 "op": "eq",
                     *                 "value": "charge.succeeded"
                     *               }
                     *             ],
                     *             "status": "enabled",
                     *             "paused_at": "2026-11-21T09:30:00.000Z",
                     *             "consecutive_failures": 0
                     *           }
                     *         ],
                     *         "enabled": false,
                     *         "description": "Live mode",
                     *         "counts": {
                     *           "written": 0,
                     *           "updated": 0,
                     *           "duplicate": 0,
                     *           "ignored": 0,
                     *           "stale": 0,
                     *           "unmapped": 0,
                     *           "rejected": 0
                     *         },
                     *         "last_event_at": "2026-11-21T09:30:00.000Z",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSourceEvents: {
        parameters: {
            query?: {
                status?: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                /** @description The id of an event: only older ones, newest first. */
                before?: string;
                /** @description The id of an event, or `start`: only later ones, oldest first. */
                after?: string;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description With `after`: for how many seconds an empty page waits for an event. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "external_id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",
                     *           "event": "charge.succeeded",
                     *           "status": "written",
                     *           "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "error": null,
                     *           "size": 1204,
                     *           "received_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        events: components["schemas"]["SourceEvent"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSourceEvent: {
        parameters: {
            query?: {
                /** @description Adds `sealed`. */
                sealed?: boolean;
            };
            header?: never;
            path: {
                /** @description The source. */
                id: string;
                /** @description The event. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "external_id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",
                     *         "event": "charge.succeeded",
                     *         "status": "written",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "error": null,
                     *         "size": 1204,
                     *         "received_at": "2026-11-21T09:30:00.000Z"
                     *       },
                     *       "headers": [
                     *         [
                     *           "content-type",
                     *           "application/json"
                     *         ]
                     *       ],
                     *       "body": "{\"id\":\"evt_1NG8Du2eZvKYlo2CUI79vXWy\"}",
                     *       "sealed": null
                     *     }
                     */
                    "application/json": {
                        event: components["schemas"]["SourceEvent"];
                        /**
                         * @description Names and values, without `Cookie` and every header whose name holds `token`, `key`, `secret`, `auth` or `signature`.
                         * @example [
                         *       [
                         *         "content-type",
                         *         "application/json"
                         *       ]
                         *     ]
                         */
                        headers: string[][];
                        /**
                         * @description The text as received. For an ignored event, the first 64 KiB; `size` of the event is the full size. Null, with empty `headers`, once the source has stored 1 GiB of newer events.
                         * @example {"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy"}
                         */
                        body: string | null;
                        /** @description With `sealed=true`, for callers who can write: the call byte for byte, encrypted with a key derived from the secret; null without one. */
                        sealed?: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaySourceEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
                /** @description The event. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "external_id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",
                     *         "event": "charge.succeeded",
                     *         "status": "written",
                     *         "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "error": null,
                     *         "size": 1204,
                     *         "received_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        event: components["schemas"]["SourceEvent"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaySourceEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "unmapped",
                 *       "since": "2026-11-21T09:30:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Events without a row.
                     * @example unmapped
                     * @enum {string}
                     */
                    status: "unmapped";
                    /**
                     * Format: date-time
                     * @description Only those that came at this instant or later. Must be an instant such as 2026-11-21T09:30:00.000Z.
                     * @example 2026-11-21T09:30:00.000Z
                     */
                    since?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 3,
                     *       "unmapped": 0
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description How many are no longer unmapped.
                         * @example 3
                         */
                        replayed: number;
                        /**
                         * @description How many still are.
                         * @example 0
                         */
                        unmapped: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    trySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": {
                 *         "id": "evt_1",
                 *         "type": "charge.succeeded"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The JSON value of a body. */
                    body?: unknown;
                    /** @description Beside `body`: an object, or a list of pairs. */
                    headers?: {
                        [key: string]: unknown;
                    } | unknown[];
                    /**
                     * @description An event of the source instead of a body.
                     * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                     */
                    event_id?: string;
                    /**
                     * @description Where the value of each field is, by its key: a JSON pointer, `header:Name`, or `{path | header | value, as?, default?}` with `as` of `text`, `number`, `bool`, `json`, `epoch_s`, `epoch_ms`, `cents`.
                     * @example {
                     *       "title": "/data/object/description",
                     *       "pages": {
                     *         "path": "/data/object/amount",
                     *         "as": "cents"
                     *       }
                     *     }
                     */
                    map?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Only events that meet all conditions become rows: `{path | header | event: true, op: eq|neq|in|not_in|exists|starts_with, value}`.
                     * @example [
                     *       {
                     *         "event": true,
                     *         "op": "eq",
                     *         "value": "charge.succeeded"
                     *       }
                     *     ]
                     */
                    when?: unknown[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "written",
                     *       "data": {
                     *         "title": "Tea",
                     *         "pages": 12.5
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example written
                         * @enum {string}
                         */
                        status: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                        /**
                         * @description The values that the map finds.
                         * @example {
                         *       "title": "Tea",
                         *       "pages": 12.5
                         *     }
                         */
                        data: {
                            [key: string]: unknown;
                        } | null;
                        /** @description Why the row would be refused. */
                        error: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    receive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The secret end of the URL of a source. */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example null */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "written",
                     *       "event_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *       "record_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *       "challenge": "text"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example written
                         * @enum {string}
                         */
                        status?: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        event_id?: string;
                        /**
                         * Format: uuid
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        record_id?: string | null;
                        /** @description Of Slack, when it verifies the URL. */
                        challenge?: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description Only the files attached to this note. */
                note_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "file_name": "handbook.pdf",
                     *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "mime_type": "application/pdf",
                     *           "size": 48211,
                     *           "status": "ready",
                     *           "pages": 12,
                     *           "error": "The file is protected by a password.",
                     *           "created_at": "2026-11-21T09:30:00.000Z",
                     *           "updated_at": "2026-11-21T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        files: components["schemas"]["File"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchFiles: {
        parameters: {
            query: {
                /**
                 * @description Words are ANDed, "a phrase" keeps order, word* is a prefix, -word excludes; on one page, or in the name of a file.
                 * @example operations
                 */
                q: string;
                /** @description Only this file. */
                file_id?: string;
                /** @description The maximum number of results. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "file": {
                     *             "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *             "file_name": "handbook.pdf",
                     *             "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                     *           },
                     *           "page": 7,
                     *           "snippet": "Cards carry the <mark>operations</mark>."
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        results: {
                            file: {
                                /**
                                 * Format: uuid
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                id: string;
                                /** @example handbook.pdf */
                                file_name: string;
                                /**
                                 * Format: uuid
                                 * @description The note it is attached to, unless that is trashed.
                                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                                 */
                                note_id: string | null;
                            };
                            /**
                             * @description From 1; 0 when the name of the file matches.
                             * @example 7
                             */
                            page: number;
                            /**
                             * @description Text around the first hit, or the name, as HTML with hits in <mark>.
                             * @example Cards carry the <mark>operations</mark>.
                             */
                            snippet: string;
                        }[];
                        /** @example 1 */
                        total: number;
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The file. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "file": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "file_name": "handbook.pdf",
                     *         "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "mime_type": "application/pdf",
                     *         "size": 48211,
                     *         "status": "ready",
                     *         "pages": 12,
                     *         "error": "The file is protected by a password.",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z",
                     *         "outline": [
                     *           {
                     *             "title": "The mill",
                     *             "level": 2,
                     *             "page": 3
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        file: {
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /** @example handbook.pdf */
                            file_name: string;
                            /**
                             * Format: uuid
                             * @description The note it is attached to, unless that is trashed.
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            note_id: string | null;
                            /** @example application/pdf */
                            mime_type: string;
                            /**
                             * @description In bytes.
                             * @example 48211
                             */
                            size: number;
                            /**
                             * @description `ready` when its text can be read, which is empty for what has none, such as a picture; `failed` for a document that could not be read.
                             * @example ready
                             * @enum {string}
                             */
                            status: "processing" | "ready" | "failed";
                            /**
                             * @description How many pages of text it has, once it is ready; 0 for a picture.
                             * @example 12
                             */
                            pages: number | null;
                            /**
                             * @description Why it failed.
                             * @example The file is protected by a password.
                             */
                            error: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-11-21T09:30:00.000Z
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @example 2026-11-21T09:30:00.000Z
                             */
                            updated_at: string;
                            /** @description Bookmarks, headings, slides or sheets in their order. */
                            outline: {
                                /** @example The mill */
                                title: string;
                                /**
                                 * @description From 1 for the outermost.
                                 * @example 2
                                 */
                                level: number;
                                /** @example 3 */
                                page: number;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    renameFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The file. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file_name": "engine handbook.pdf"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Links to the file in notes are rewritten too. Must be a text of 1 to 500 characters without control characters.
                     * @example engine handbook.pdf
                     */
                    file_name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "file": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "file_name": "handbook.pdf",
                     *         "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "mime_type": "application/pdf",
                     *         "size": 48211,
                     *         "status": "ready",
                     *         "pages": 12,
                     *         "error": "The file is protected by a password.",
                     *         "created_at": "2026-11-21T09:30:00.000Z",
                     *         "updated_at": "2026-11-21T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        file: components["schemas"]["File"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFileText: {
        parameters: {
            query?: {
                /** @description By default all of them, from page 1. Must be a page such as 7, or a range such as 7-9. */
                pages?: string;
                /** @description Whole pages are returned while they fit; a first page that is longer is cut. */
                max_chars?: number;
            };
            header?: never;
            path: {
                /** @description The file. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "file": {
                     *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *         "file_name": "handbook.pdf"
                     *       },
                     *       "pages": "7-9",
                     *       "text": "=== page 7 ===\nCards carry the operations.",
                     *       "truncated": false,
                     *       "next_chunk": "10-12"
                     *     }
                     */
                    "application/json": {
                        file: {
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /** @example handbook.pdf */
                            file_name: string;
                        };
                        /**
                         * @description The pages that `text` holds; empty when the file has none.
                         * @example 7-9
                         */
                        pages: string;
                        /**
                         * @description Each page begins with a line that names it.
                         * @example === page 7 ===
                         *     Cards carry the operations.
                         */
                        text: string;
                        /** @description Whether text of the pages asked for is missing. */
                        truncated: boolean;
                        /**
                         * @description The value of `pages` for the next request; null after the last page.
                         * @example 10-12
                         */
                        next_chunk: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFileContent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A single range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-512`. Any other is ignored.
                 * @example bytes=0-1023
                 */
                Range?: components["parameters"]["Range"];
                /**
                 * @description The `ETag` of the partial copy that the range continues; if it differs, all bytes are sent.
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-Range"?: components["parameters"]["If-Range"];
                /**
                 * @description The `ETag` of a copy; if it is current, nothing is sent (304).
                 * @example "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The file. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All bytes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The bytes of the range. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The bytes match `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description The range begins beyond the end. */
            416: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Range": components["headers"]["Content-Range"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The header \"Range\" begins beyond the end: the size is 48211.",
                     *       "code": "refused"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listChanges: {
        parameters: {
            query?: {
                /** @description The cursor of the last page, or of a change; `now` for the end. Without it, from the oldest change that is kept. */
                after?: string;
                /** @description Newest first: the changes before this cursor, that of the last page or of a change; `now` for the newest. Not together with `after` and `wait`, and not as a stream. */
                before?: string;
                /** @description 100 unless given. */
                limit?: number;
                /** @description Only changes of these kinds, with commas between them: `note`, `record`, `tag`, `property`, `structure`, `preset`, `view`, `lens`, `quick_access_item`, `file`, `webhook`, `source`, `row_view`, `share`. */
                kinds?: string;
                /** @description Only changes of the records and webhooks of this structure, and of itself: its name or its id. */
                structure?: string;
                /** @description Adds `object` to each change: the state of the object now. */
                include?: "objects";
                /** @description Adds `edited_at` to the notes among the objects: their last edit by a caller. */
                edited?: boolean;
                /** @description For how many seconds an empty page waits for a change. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changes": [
                     *         {
                     *           "cursor": "5d0c7e91ab34-2s",
                     *           "transaction": "5d0c7e91ab34-2s",
                     *           "at": "2026-11-21T09:30:00.000Z",
                     *           "kind": "record",
                     *           "op": "updated",
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "structure_id": null,
                     *           "changed": [
                     *             "status"
                     *           ],
                     *           "previous": {
                     *             "status": "open"
                     *           },
                     *           "actor": {
                     *             "surface": "api",
                     *             "user_id": null,
                     *             "key_id": null,
                     *             "name": "laptop"
                     *           },
                     *           "object": null
                     *         }
                     *       ],
                     *       "cursor": "5d0c7e91ab34-2s",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        changes: components["schemas"]["Change"][];
                        /**
                         * @description Where to go on, also past changes that a filter left out.
                         * @example 5d0c7e91ab34-2s
                         */
                        cursor: string;
                        /** @example false */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description The `cursor` of the last page, or of a transaction: those that were complete before it. Without it, or with `now`, from the newest one. */
                before?: string;
                /** @description 50 unless given. */
                limit?: number;
                /** @description Only transactions that changed something of these kinds, with commas between them: `note`, `record`, `tag`, `property`, `structure`, `preset`, `view`, `lens`, `quick_access_item`, `file`, `webhook`, `source`, `row_view`, `share`. */
                kinds?: string;
                /** @description Only transactions that changed records, webhooks or views of this structure, or itself: its name or its id. */
                structure?: string;
                /** @description Only changes of the key or user with this id. The id of a user includes its keys; an unknown id returns an empty list. */
                actor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transactions": [
                     *         {
                     *           "transaction": "5d0c7e91ab34-2s",
                     *           "cursor": "5d0c7e91ab34-2s",
                     *           "at": "2026-11-21T09:30:00.000Z",
                     *           "actor": {
                     *             "surface": "api",
                     *             "user_id": null,
                     *             "key_id": null,
                     *             "name": "laptop"
                     *           },
                     *           "counts": [
                     *             {
                     *               "kind": "record",
                     *               "op": "updated",
                     *               "structure_id": null,
                     *               "n": 500
                     *             }
                     *           ],
                     *           "objects": [
                     *             {
                     *               "kind": "record",
                     *               "op": "updated",
                     *               "structure_id": null,
                     *               "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *               "label": "Tea with Ada"
                     *             }
                     *           ],
                     *           "undone_by": "5d0c7e91ab34-2s"
                     *         }
                     *       ],
                     *       "cursor": "5d0c7e91ab34-2s",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        transactions: components["schemas"]["Transaction"][];
                        /**
                         * @description Where to go on, as `before`; also past transactions that a filter left out.
                         * @example 5d0c7e91ab34-2s
                         */
                        cursor: string;
                        /** @example false */
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSnapshot: {
        parameters: {
            query?: {
                /** @description Adds `edited_at` to the notes among the objects: their last edit by a caller. */
                edited?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {"cursor":"5d0c7e91ab34-2s"}
                     *     {"kind":"tag","structure_id":null,"object":{"id":1,"name":"work","color":null,"is_pinned":false,"note_count":0,"linked_tags":[]}}
                     *     {"end":true,"counts":{"tag":1}}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    applyChanges: {
        parameters: {
            query?: never;
            header?: {
                /** @description Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": [
                 *         {
                 *           "kind": "note",
                 *           "op": "created",
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f61",
                 *           "data": {
                 *             "title": "Tea with Ada",
                 *             "tags": [
                 *               "tea"
                 *             ]
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    changes: {
                        /**
                         * @example record
                         * @enum {string}
                         */
                        kind: "note" | "record";
                        /**
                         * @example updated
                         * @enum {string}
                         */
                        op: "created" | "updated" | "deleted";
                        /**
                         * @description Of what is created a UUIDv7 of your own.
                         * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                         */
                        id: string;
                        /**
                         * @description Of a record, a name or an id; required for one that is created.
                         * @example Errands
                         */
                        structure?: string;
                        /**
                         * Format: date-time
                         * @description The `updated_at` that was read; the call is refused when the object changed since.
                         * @example 2026-11-21T09:30:00.000Z
                         */
                        if_unchanged?: string;
                        /**
                         * @description The values of a record, or `title`, `content`, `alias`, `cover_url`, `pinned`, `pin_label`, `tags` and `properties` of a note. An update changes only what it names; `tags` is then the whole list. Absent for what is deleted.
                         * @example {
                         *       "what": "Buy milk"
                         *     }
                         */
                        data?: {
                            [key: string]: unknown;
                        };
                    }[];
                    /**
                     * @description Checks everything and writes nothing.
                     * @example false
                     */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction": "5d0c7e91ab34-2s",
                     *       "applied": [
                     *         {
                     *           "kind": "record",
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "op": "updated"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description null when nothing was written.
                         * @example 5d0c7e91ab34-2s
                         */
                        transaction: string | null;
                        /** @description In the order sent. */
                        applied: {
                            /**
                             * @example record
                             * @enum {string}
                             */
                            kind: "note" | "record";
                            /**
                             * Format: uuid
                             * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                             */
                            id: string;
                            /**
                             * @example updated
                             * @enum {string}
                             */
                            op: "created" | "updated" | "deleted";
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    undo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction": "5d0c7e91ab34-2s",
                 *       "dry_run": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The `transaction` of a change.
                     * @example 5d0c7e91ab34-2s
                     */
                    transaction: string;
                    /** @description Checks everything and writes nothing. */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "undone": [
                     *         {
                     *           "kind": "note",
                     *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                     *           "op": "updated"
                     *         }
                     *       ],
                     *       "transaction": "5d0c7e91ab34-2s"
                     *     }
                     */
                    "application/json": {
                        /** @description The new changes. */
                        undone: {
                            /** @enum {string} */
                            kind: "note" | "record";
                            /** @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 */
                            id: string;
                            /**
                             * @description A note is `deleted` when it is moved to the trash, and `purged` when it is removed from there.
                             * @example updated
                             * @enum {string}
                             */
                            op: "created" | "updated" | "deleted" | "restored" | "purged";
                        }[];
                        /**
                         * @description The new one; null when nothing was written.
                         * @example 5d0c7e91ab34-2s
                         */
                        transaction: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["UriTooLong"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    recordCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example record.created
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "record.created",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "record": {
                 *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *         "data": {
                 *           "title": "Middlemarch",
                 *           "pages": 880,
                 *           "status": "read",
                 *           "finished": "2026-11-20"
                 *         },
                 *         "created_at": "2026-11-21T09:30:00.000Z",
                 *         "updated_at": "2026-11-21T09:30:00.000Z",
                 *         "deleted_at": null
                 *       },
                 *       "changed": [],
                 *       "previous": {},
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example record.updated
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "record.updated",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "record": {
                 *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *         "data": {
                 *           "title": "Middlemarch",
                 *           "pages": 880,
                 *           "status": "read",
                 *           "finished": "2026-11-20"
                 *         },
                 *         "created_at": "2026-11-21T09:30:00.000Z",
                 *         "updated_at": "2026-11-21T09:30:00.000Z",
                 *         "deleted_at": null
                 *       },
                 *       "changed": [
                 *         "pages"
                 *       ],
                 *       "previous": {
                 *         "pages": 875
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example record.deleted
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "record.deleted",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "record": {
                 *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *         "data": {
                 *           "title": "Middlemarch",
                 *           "pages": 880,
                 *           "status": "read",
                 *           "finished": "2026-11-20"
                 *         },
                 *         "created_at": "2026-11-21T09:30:00.000Z",
                 *         "updated_at": "2026-11-21T09:30:00.000Z",
                 *         "deleted_at": "2026-11-21T09:30:00.000Z"
                 *       },
                 *       "changed": [],
                 *       "previous": {},
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordDue: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example record.due
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "record.due",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "record": {
                 *         "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *         "data": {
                 *           "title": "Middlemarch",
                 *           "pages": 880,
                 *           "status": "read",
                 *           "finished": "2026-11-20"
                 *         },
                 *         "created_at": "2026-11-21T09:30:00.000Z",
                 *         "updated_at": "2026-11-21T09:30:00.000Z",
                 *         "deleted_at": null
                 *       },
                 *       "changed": [],
                 *       "previous": {},
                 *       "data": {
                 *         "due_at": "2026-11-21T08:00:00.000Z"
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    noteCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example note.created
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "note.created",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "note": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "title": "Meeting with Ada",
                 *           "content": "Ask.",
                 *           "tags": [
                 *             "work"
                 *           ],
                 *           "alias": null,
                 *           "properties": {
                 *             "due": "2026-11-21"
                 *           },
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    noteUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example note.updated
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "note.updated",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "note": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "title": "Meeting with Ada",
                 *           "content": "Ask.",
                 *           "tags": [
                 *             "work"
                 *           ],
                 *           "alias": null,
                 *           "properties": {
                 *             "due": "2026-11-21"
                 *           },
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    noteDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example note.deleted
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "note.deleted",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "note": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "title": "Meeting with Ada",
                 *           "content": "Ask.",
                 *           "tags": [
                 *             "work"
                 *           ],
                 *           "alias": null,
                 *           "properties": {
                 *             "due": "2026-11-21"
                 *           },
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    noteRestored: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example note.restored
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "note.restored",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "note": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "title": "Meeting with Ada",
                 *           "content": "Ask.",
                 *           "tags": [
                 *             "work"
                 *           ],
                 *           "alias": null,
                 *           "properties": {
                 *             "due": "2026-11-21"
                 *           },
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    fileCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example file.created
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "file.created",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "file": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "file_name": "handbook.pdf",
                 *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "mime_type": "application/pdf",
                 *           "size": 48211,
                 *           "status": "ready",
                 *           "pages": 12,
                 *           "error": "The file is protected by a password.",
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    fileUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example file.updated
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "file.updated",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "file": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "file_name": "handbook.pdf",
                 *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "mime_type": "application/pdf",
                 *           "size": 48211,
                 *           "status": "ready",
                 *           "pages": 12,
                 *           "error": "The file is protected by a password.",
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    fileDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example file.deleted
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "file.deleted",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "data": {
                 *         "file": {
                 *           "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "file_name": "handbook.pdf",
                 *           "note_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *           "mime_type": "application/pdf",
                 *           "size": 48211,
                 *           "status": "ready",
                 *           "pages": 12,
                 *           "error": "The file is protected by a password.",
                 *           "created_at": "2026-11-21T09:30:00.000Z",
                 *           "updated_at": "2026-11-21T09:30:00.000Z"
                 *         },
                 *         "changed": [],
                 *         "previous": {}
                 *       },
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    webhookTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The type of the event.
                 * @example webhook.test
                 */
                "X-Service-Event": string;
                /**
                 * @description The id of the delivery.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "X-Service-Delivery": string;
                /**
                 * @description The signature of this attempt.
                 * @example t=1795253400,v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538
                 */
                "X-Service-Signature": string;
                /**
                 * @description The id of the event.
                 * @example 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60
                 */
                "webhook-id": string;
                /**
                 * @description The unix seconds of this attempt.
                 * @example 1795253400
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of this attempt, as Standard Webhooks has it.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description With `ordered`: the number of the event, in every format.
                 * @example 12
                 */
                "X-Service-Sequence"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "type": "webhook.test",
                 *       "occurred_at": "2026-11-21T09:30:00.000Z",
                 *       "workspace_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60",
                 *       "structure": null,
                 *       "record": null,
                 *       "changed": [],
                 *       "previous": {},
                 *       "source": {
                 *         "surface": "api",
                 *         "key_id": "01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"
                 *       },
                 *       "sequence": 12
                 *     }
                 */
                "application/json": components["schemas"]["DeliveredEvent"];
            };
        };
        responses: {
            /** @description The verification failed; the delivery is sent again like any other. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived; the body of the answer is dropped. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is sent again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
