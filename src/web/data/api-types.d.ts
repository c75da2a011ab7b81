// Written by `bun run web-types`.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
        };
        get: operations["getHealth"];
    };
    "/metrics": {
        parameters: {
            query?: never;
        };
        get: operations["getMetrics"];
    };
    "/v1/me": {
        parameters: {
            query?: never;
        };
        get: operations["getMe"];
    };
    "/v1/workspace": {
        parameters: {
            query?: never;
        };
        get: operations["getWorkspace"];
    };
    "/v1/notes": {
        parameters: {
            query?: never;
        };
        get: operations["listNotes"];
        post: operations["createNote"];
    };
    "/v1/notes/query": {
        parameters: {
            query?: never;
        };
        post: operations["queryNotes"];
    };
    "/v1/notes/trash": {
        parameters: {
            query?: never;
        };
        get: operations["listTrash"];
        delete: operations["emptyTrash"];
    };
    "/v1/notes/trash/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getTrashedNote"];
        delete: operations["purgeNote"];
    };
    "/v1/notes/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getNote"];
        delete: operations["trashNote"];
        patch: operations["updateNote"];
    };
    "/v1/notes/{id}/append": {
        parameters: {
            query?: never;
        };
        post: operations["appendToNote"];
    };
    "/v1/notes/{id}/edit": {
        parameters: {
            query?: never;
        };
        post: operations["editNote"];
    };
    "/v1/notes/{id}/restore": {
        parameters: {
            query?: never;
        };
        post: operations["restoreNote"];
    };
    "/v1/notes/{id}/properties": {
        parameters: {
            query?: never;
        };
        get: operations["getNoteProperties"];
        patch: operations["updateNoteProperties"];
    };
    "/v1/notes/{id}/tags": {
        parameters: {
            query?: never;
        };
        post: operations["addNoteTags"];
    };
    "/v1/notes/{id}/tags/{name}": {
        parameters: {
            query?: never;
        };
        delete: operations["removeNoteTag"];
    };
    "/v1/notes/{id}/links": {
        parameters: {
            query?: never;
        };
        get: operations["getNoteLinks"];
    };
    "/v1/notes/{id}/mentions": {
        parameters: {
            query?: never;
        };
        get: operations["listNoteMentions"];
    };
    "/v1/notes/{id}/revisions": {
        parameters: {
            query?: never;
        };
        get: operations["listNoteRevisions"];
    };
    "/v1/notes/{id}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
        };
        post: operations["restoreNoteRevision"];
    };
    "/v1/notes/{id}/presence": {
        parameters: {
            query?: never;
        };
        get: operations["followPresence"];
        post: operations["reportPresence"];
    };
    "/v1/notes/{id}/files": {
        parameters: {
            query?: never;
        };
        get: operations["listNoteFiles"];
    };
    "/v1/search": {
        parameters: {
            query?: never;
        };
        get: operations["search"];
    };
    "/v1/tags": {
        parameters: {
            query?: never;
        };
        get: operations["listTags"];
    };
    "/v1/tags/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getTag"];
        delete: operations["deleteTag"];
        patch: operations["updateTag"];
    };
    "/v1/tags/{id}/links": {
        parameters: {
            query?: never;
        };
        put: operations["setTagLinks"];
    };
    "/v1/properties": {
        parameters: {
            query?: never;
        };
        get: operations["listProperties"];
        post: operations["createProperty"];
    };
    "/v1/properties/{idOrKey}": {
        parameters: {
            query?: never;
        };
        get: operations["getProperty"];
        delete: operations["deleteProperty"];
        patch: operations["updateProperty"];
    };
    "/v1/presets": {
        parameters: {
            query?: never;
        };
        get: operations["listPresets"];
        post: operations["createPreset"];
    };
    "/v1/presets/{idOrName}": {
        parameters: {
            query?: never;
        };
        get: operations["getPreset"];
        delete: operations["deletePreset"];
        patch: operations["updatePreset"];
    };
    "/v1/presets/{idOrName}/apply": {
        parameters: {
            query?: never;
        };
        post: operations["applyPreset"];
    };
    "/v1/views": {
        parameters: {
            query?: never;
        };
        get: operations["listViews"];
        post: operations["createView"];
    };
    "/v1/views/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getView"];
        delete: operations["deleteView"];
        patch: operations["updateView"];
    };
    "/v1/views/{id}/notes": {
        parameters: {
            query?: never;
        };
        get: operations["listViewNotes"];
    };
    "/v1/lenses": {
        parameters: {
            query?: never;
        };
        get: operations["listLenses"];
        post: operations["createLens"];
    };
    "/v1/lenses/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getLens"];
        delete: operations["deleteLens"];
        patch: operations["updateLens"];
    };
    "/v1/lenses/{id}/graph": {
        parameters: {
            query?: never;
        };
        get: operations["getLensGraph"];
    };
    "/v1/graph": {
        parameters: {
            query?: never;
        };
        get: operations["getGraph"];
    };
    "/v1/quick-access": {
        parameters: {
            query?: never;
        };
        get: operations["listQuickAccess"];
        post: operations["createQuickAccessItem"];
    };
    "/v1/quick-access/{id}": {
        parameters: {
            query?: never;
        };
        delete: operations["deleteQuickAccessItem"];
        patch: operations["updateQuickAccessItem"];
    };
    "/v1/records/structures": {
        parameters: {
            query?: never;
        };
        get: operations["listStructures"];
        post: operations["createStructure"];
    };
    "/v1/records/structures/{nameOrId}": {
        parameters: {
            query?: never;
        };
        get: operations["getStructure"];
        patch: operations["updateStructure"];
    };
    "/v1/records/structures/{nameOrId}/convert": {
        parameters: {
            query?: never;
        };
        post: operations["convertField"];
    };
    "/v1/records/views": {
        parameters: {
            query?: never;
        };
        get: operations["listRowViews"];
        post: operations["createRowView"];
    };
    "/v1/records/views/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getRowView"];
        delete: operations["deleteRowView"];
        patch: operations["updateRowView"];
    };
    "/v1/records": {
        parameters: {
            query?: never;
        };
        get: operations["listRecords"];
        post: operations["writeRecords"];
    };
    "/v1/records/watch": {
        parameters: {
            query?: never;
        };
        get: operations["watchRecords"];
    };
    "/v1/records/summary": {
        parameters: {
            query?: never;
        };
        get: operations["summariseRecords"];
    };
    "/v1/records/board": {
        parameters: {
            query?: never;
        };
        get: operations["readBoard"];
    };
    "/v1/records/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getRecord"];
        delete: operations["deleteRecord"];
        patch: operations["updateRecord"];
    };
    "/v1/records/{id}/history": {
        parameters: {
            query?: never;
        };
        get: operations["listRecordHistory"];
    };
    "/v1/records/{id}/revert": {
        parameters: {
            query?: never;
        };
        post: operations["revertRecord"];
    };
    "/v1/records/{id}/restore": {
        parameters: {
            query?: never;
        };
        post: operations["restoreRecord"];
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
        };
        get: operations["listWebhooks"];
        post: operations["createWebhook"];
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getWebhook"];
        delete: operations["deleteWebhook"];
        patch: operations["updateWebhook"];
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
        };
        post: operations["rotateWebhookSecret"];
    };
    "/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
        };
        post: operations["rotateWebhook"];
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
        };
        post: operations["testWebhook"];
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
        };
        get: operations["listDeliveries"];
    };
    "/v1/webhooks/{id}/events": {
        parameters: {
            query?: never;
        };
        get: operations["listPulledEvents"];
    };
    "/v1/webhooks/{id}/events/ack": {
        parameters: {
            query?: never;
        };
        post: operations["acknowledgeEvents"];
    };
    "/v1/webhooks/{id}/recover": {
        parameters: {
            query?: never;
        };
        post: operations["recoverDeliveries"];
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
        };
        get: operations["getDelivery"];
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
        };
        post: operations["redeliver"];
    };
    "/v1/shares": {
        parameters: {
            query?: never;
        };
        get: operations["listShares"];
        post: operations["createShare"];
    };
    "/v1/shares/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getShare"];
        delete: operations["deleteShare"];
        patch: operations["updateShare"];
    };
    "/v1/shares/{id}/rotate": {
        parameters: {
            query?: never;
        };
        post: operations["rotateShare"];
    };
    "/v1/sources": {
        parameters: {
            query?: never;
        };
        get: operations["listSources"];
        post: operations["createSource"];
    };
    "/v1/sources/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getSource"];
        delete: operations["deleteSource"];
        patch: operations["updateSource"];
    };
    "/v1/sources/{id}/rotate": {
        parameters: {
            query?: never;
        };
        post: operations["rotateSource"];
    };
    "/v1/sources/{id}/deliveries": {
        parameters: {
            query?: never;
        };
        get: operations["listSourceDeliveries"];
    };
    "/v1/sources/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
        };
        post: operations["redeliverSourceEvent"];
    };
    "/v1/sources/{id}/resume": {
        parameters: {
            query?: never;
        };
        post: operations["resumeSource"];
    };
    "/v1/sources/{id}/events": {
        parameters: {
            query?: never;
        };
        get: operations["listSourceEvents"];
    };
    "/v1/sources/{id}/events/{eventId}": {
        parameters: {
            query?: never;
        };
        get: operations["getSourceEvent"];
    };
    "/v1/sources/{id}/events/{eventId}/replay": {
        parameters: {
            query?: never;
        };
        post: operations["replaySourceEvent"];
    };
    "/v1/sources/{id}/replay": {
        parameters: {
            query?: never;
        };
        post: operations["replaySourceEvents"];
    };
    "/v1/sources/{id}/try": {
        parameters: {
            query?: never;
        };
        post: operations["trySource"];
    };
    "/in/{token}": {
        parameters: {
            query?: never;
        };
        post: operations["receive"];
    };
    "/v1/files": {
        parameters: {
            query?: never;
        };
        get: operations["listFiles"];
    };
    "/v1/files/search": {
        parameters: {
            query?: never;
        };
        get: operations["searchFiles"];
    };
    "/v1/files/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getFile"];
        patch: operations["renameFile"];
    };
    "/v1/files/{id}/text": {
        parameters: {
            query?: never;
        };
        get: operations["getFileText"];
    };
    "/v1/files/{id}/content": {
        parameters: {
            query?: never;
        };
        get: operations["getFileContent"];
    };
    "/v1/comments": {
        parameters: {
            query?: never;
        };
        get: operations["listComments"];
        post: operations["createComment"];
    };
    "/v1/comments/{id}": {
        parameters: {
            query?: never;
        };
        get: operations["getComment"];
        delete: operations["deleteComment"];
        patch: operations["updateComment"];
    };
    "/v1/inbox": {
        parameters: {
            query?: never;
        };
        get: operations["readInbox"];
    };
    "/v1/inbox/read": {
        parameters: {
            query?: never;
        };
        post: operations["markInboxRead"];
    };
    "/v1/changes": {
        parameters: {
            query?: never;
        };
        get: operations["listChanges"];
    };
    "/v1/changes/transactions": {
        parameters: {
            query?: never;
        };
        get: operations["listTransactions"];
    };
    "/v1/changes/snapshot": {
        parameters: {
            query?: never;
        };
        get: operations["getSnapshot"];
    };
    "/v1/changes/apply": {
        parameters: {
            query?: never;
        };
        post: operations["applyChanges"];
    };
    "/v1/changes/undo": {
        parameters: {
            query?: never;
        };
        post: operations["undo"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: string;
            /** @enum {string} */
            code: "invalid_request" | "refused" | "unique_violation" | "max_rows_reached" | "immutable" | "passage_not_found" | "passage_not_unique" | "unauthorized" | "read_only_key" | "mirror" | "owner_required" | "no_access" | "not_found" | "method_not_allowed" | "name_taken" | "in_use" | "precondition_failed" | "cursor_expired" | "stale" | "too_large" | "unsupported_encoding" | "rate_limited" | "uri_too_long" | "internal" | "unavailable";
        };
        Problem: {
            /** @constant */
            type: "about:blank";
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "invalid_request" | "refused" | "unique_violation" | "max_rows_reached" | "immutable" | "passage_not_found" | "passage_not_unique" | "unauthorized" | "read_only_key" | "mirror" | "owner_required" | "no_access" | "not_found" | "method_not_allowed" | "name_taken" | "in_use" | "precondition_failed" | "cursor_expired" | "stale" | "too_large" | "unsupported_encoding" | "rate_limited" | "uri_too_long" | "internal" | "unavailable";
            position?: number;
            errors: {
                detail: string;
                pointer: string;
                position?: number;
            }[];
        };
        DeliveredEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted" | "webhook.test";
            /** Format: date-time */
            occurred_at: string;
            /** Format: uuid */
            workspace_id: string;
            structure: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            record?: components["schemas"]["Record"] | null;
            changed?: string[];
            previous?: {
                [key: string]: unknown;
            };
            data?: components["schemas"]["DeliveredData"] | null;
            source: {
                /** @enum {string} */
                surface: "web" | "ios" | "chrome" | "mcp" | "api" | "block" | "source" | "form" | "share" | "system";
                /** Format: uuid */
                key_id: string | null;
            };
            sequence?: number;
        };
        Record: {
            /** Format: uuid */
            id: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            deleted_at: string | null;
        };
        DeliveredData: {
            note?: components["schemas"]["DeliveredNote"];
            file?: components["schemas"]["File"];
            changed?: string[];
            previous?: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            due_at?: string;
            /** @constant */
            late?: true;
        };
        DeliveredNote: {
            /** Format: uuid */
            id: string;
            title: string;
            content?: string;
            tags: string[];
            alias: string | null;
            aliases?: string[];
            properties: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        File: {
            /** Format: uuid */
            id: string;
            file_name: string;
            /** Format: uuid */
            note_id: string | null;
            mime_type: string;
            size: number;
            /** @enum {string} */
            status: "processing" | "ready" | "failed";
            pages: number | null;
            error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        KeyInfo: {
            /** Format: uuid */
            user_id: string;
            /** Format: uuid */
            workspace_id: string;
            key: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @enum {string} */
                scope: "write" | "read";
            } | null;
            access?: {
                notes?: string;
                files?: string;
                structures?: Record<string, never>;
            };
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
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
        ListedNote: {
            /** Format: uuid */
            id: string;
            title: string;
            content?: string;
            tags: string[];
            alias: string | null;
            aliases?: string[];
            pinned: boolean;
            pin_label: string | null;
            cover_url: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            snippet?: string;
            /** Format: date-time */
            edited_at?: string;
            excerpt?: string;
        };
        Note: {
            /** Format: uuid */
            id: string;
            title: string;
            content: string;
            tags: string[];
            alias: string | null;
            aliases?: string[];
            pinned: boolean;
            pin_label: string | null;
            cover_url: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            snippet?: string;
        };
        FilterTree: components["schemas"]["FilterGroup"] | components["schemas"]["TagsCondition"] | components["schemas"]["PropertyCondition"] | components["schemas"]["FieldCondition"];
        FilterGroup: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "group";
            /** @enum {string} */
            match: "all" | "any" | "none";
            children: components["schemas"]["FilterTree"][];
        };
        TagsCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tags";
            /** @enum {string} */
            op: "has_all" | "has_any" | "has_none";
            tag_ids: number[];
        };
        PropertyCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "property";
            def_id: string;
            /** @enum {string} */
            op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with" | "in" | "not_in" | "empty" | "not_empty" | "gt" | "gte" | "lt" | "lte" | "between" | "on" | "before" | "after" | "on_or_before" | "on_or_after" | "within" | "has_key";
            value?: unknown;
        };
        FieldCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "field";
            /** @enum {string} */
            field: "title" | "alias" | "created_at" | "updated_at";
            /** @enum {string} */
            op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with" | "in" | "not_in" | "empty" | "not_empty" | "gt" | "gte" | "lt" | "lte" | "between" | "on" | "before" | "after" | "on_or_before" | "on_or_after" | "within" | "has_key";
            value?: unknown;
        };
        TrashedNote: {
            /** Format: uuid */
            id: string;
            title: string;
            /** Format: date-time */
            deleted_at: string;
        };
        Revision: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            surface: string;
            title: string;
            content: string;
        };
        Tag: {
            id: number;
            name: string;
            color: string | null;
            is_pinned: boolean;
            note_count: number;
            linked_tags: {
                id: number;
                name: string;
            }[];
        };
        Property: {
            /** Format: uuid */
            id: string;
            key: string;
            /** @enum {string} */
            type: "text" | "number" | "date" | "bool" | "select" | "json";
            label: string;
            options: string[] | null;
            position: number;
            is_pinned: boolean;
            notes_with_value: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Preset: {
            /** Format: uuid */
            id: string;
            name: string;
            tags: string[];
            properties: {
                key: string;
                value: unknown;
            }[];
            asks: {
                key: string;
                value: unknown;
            }[];
            content?: string;
            icon: string | null;
            color: string | null;
            is_pinned: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        View: {
            /** Format: uuid */
            id: string;
            name: string;
            filter: components["schemas"]["FilterTree"] | null;
            filter_summary: string;
            sort: {
                /** @enum {string} */
                field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                /** @enum {string} */
                direction: "asc" | "desc";
                property?: string;
            };
            display: {
                properties: {
                    /** Format: uuid */
                    id: string;
                    key: string;
                    label: string;
                    type: string;
                }[];
                show_tags: boolean;
            };
            display_properties: string[];
            show_tags: boolean;
            is_pinned: boolean;
            is_default: boolean;
            icon: string | null;
            color: string | null;
            cover_url: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Lens: {
            /** Format: uuid */
            id: string;
            name: string;
            scope: components["schemas"]["FilterTree"] | null;
            settings: {
                layers: {
                    links: boolean;
                    tags: boolean;
                };
                nodes: {
                    orphans: boolean;
                    dangling: boolean;
                };
                look: {
                    arrows: boolean;
                    /** @enum {string} */
                    titles: "zoom" | "always" | "never";
                };
            };
            is_default: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        QuickAccessItem: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            note_id: string;
            title: string;
            icon: string | null;
            color: string | null;
            icon_filled: boolean;
            position: number;
            /** Format: date-time */
            created_at: string;
        };
        Structure: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            fields: components["schemas"]["Field"][];
            label_field: string | null;
            unique_together: string[][];
            max_rows: number | null;
            immutable: boolean;
            icon?: string;
            color?: string;
            record_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Field: {
            key: string;
            /** @enum {string} */
            type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
            expression?: string;
            /** @enum {string} */
            result?: "text" | "number" | "bool" | "date" | "datetime";
            via?: {
                /** Format: uuid */
                structure: string;
                field: string;
            };
            /** @enum {string} */
            function?: "count" | "sum" | "average" | "min" | "max";
            field?: string;
            /** @constant */
            computing?: true;
            label: string;
            required: boolean;
            unit: string | null;
            hidden: boolean;
            unique: boolean;
            min: number | string | null;
            max: number | string | null;
            options: string[] | null;
            /** Format: uuid */
            structure: string | null;
            format?: {
                /** @enum {string} */
                style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                decimals?: number;
                currency?: string;
            };
            /** @constant */
            multiple?: true;
        };
        RowView: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            structure_id: string;
            name: string;
            /** @enum {string} */
            kind: "table" | "board" | "calendar";
            filter: components["schemas"]["RecordCondition"][];
            search: string | null;
            sort: string | null;
            /** @enum {string|null} */
            direction: "asc" | "desc" | null;
            columns: {
                key: string;
                width?: number;
            }[] | null;
            group_by: string | null;
            date_field: string | null;
            end_field: string | null;
            personal: boolean;
            locked: boolean;
            owner: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            position: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        RecordCondition: {
            field: string;
            /** @enum {string} */
            op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "contains" | "in" | "not_in" | "is_empty" | "not_empty" | "has_any" | "has_all" | "has_none";
            value?: unknown;
        };
        WriteRow: {
            structure: string;
            data: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            on_conflict?: "refuse" | "update";
        };
        WriteRows: {
            structure: string;
            rows: {
                data: {
                    [key: string]: unknown;
                };
            }[];
            /** @enum {string} */
            on_conflict?: "refuse" | "update";
        };
        Bucket: {
            period: string | null;
            value: string | number | boolean | null;
            count: number;
            sum: number | null;
            average: number | null;
            min: number | null;
            max: number | null;
        };
        BoardColumn: {
            value: string | boolean | null;
            total: number;
            records: components["schemas"]["Record"][];
            has_more: boolean;
        };
        Version: {
            cursor: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            op: "created" | "updated" | "deleted" | "restored" | "purged";
            changed: string[];
            previous: Record<string, never>;
            actor: components["schemas"]["Actor"];
        };
        Actor: {
            surface: string;
            user_id: string | null;
            key_id: string | null;
            name: string | null;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind?: "record" | "note" | "file";
            structure: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            /** @enum {string} */
            delivery?: "pull";
            pending?: number;
            /** Format: date-time */
            oldest_pending_at?: string | null;
            dropped?: number;
            url: string | null;
            /** @enum {string} */
            format?: "json" | "slack" | "discord" | "ntfy" | "text";
            template?: string;
            events: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
            due?: components["schemas"]["WebhookDue"];
            quiet_seconds?: number;
            include_content?: boolean;
            ordered?: boolean;
            filter: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
            fields: string[] | null;
            ignore_own_key: boolean;
            /** Format: uuid */
            ignore_key_id: string | null;
            description: string | null;
            headers?: Record<string, never>;
            enabled: boolean;
            /** @enum {string} */
            status: "enabled" | "disabled" | "paused";
            /** Format: date-time */
            paused_at: string | null;
            pause_reason?: string;
            consecutive_failures: number;
            /** Format: uuid */
            created_by_key_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookDue: {
            field: string;
            offset_days?: number;
            at?: string;
            tz?: string;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            webhook_id: string;
            /** Format: uuid */
            event_id: string;
            /** @enum {string} */
            event: "record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted" | "webhook.test";
            /** Format: uuid */
            record_id: string | null;
            /** Format: uuid */
            object_id?: string | null;
            sequence?: number;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            response_status: number | null;
            error: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_attempt_at: string | null;
            /** Format: date-time */
            delivered_at: string | null;
        };
        Attempt: {
            /** Format: date-time */
            at: string;
            response_status: number | null;
            error: string | null;
            ms: number;
            response?: components["schemas"]["AttemptResponse"] | null;
        };
        AttemptResponse: {
            headers: {
                name: string;
                value: string;
            }[];
            body: string;
            truncated: boolean;
        };
        Share: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "note" | "view" | "row_view" | "form";
            /** Format: uuid */
            target_id: string;
            name: string | null;
            url: string | null;
            options: {
                [key: string]: unknown;
            };
            has_password: boolean;
            /** Format: date-time */
            expires_at: string | null;
            created_by: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            uses: number;
        };
        Source: {
            /** Format: uuid */
            id: string;
            name: string;
            structure: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** @enum {string} */
            provider: "stripe" | "github" | "standard" | "shopify" | "slack" | "hmac" | "basic" | "bearer" | "none";
            options: {
                [key: string]: unknown;
            };
            url: string | null;
            map: {
                [key: string]: unknown;
            };
            external_id: string | null;
            event: string | null;
            when: {
                [key: string]: unknown;
            }[];
            /** @enum {string} */
            on_conflict: "refuse" | "update";
            newer_by: string | null;
            forward?: {
                url: string | null;
                when?: {
                    [key: string]: unknown;
                }[];
                /** @enum {string} */
                status: "enabled" | "paused";
                /** Format: date-time */
                paused_at: string | null;
                consecutive_failures: number;
            }[];
            enabled: boolean;
            description: string | null;
            counts: {
                written: number;
                updated: number;
                duplicate: number;
                ignored: number;
                stale: number;
                unmapped: number;
                rejected: number;
            };
            /** Format: date-time */
            last_event_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SourceDelivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            source_id: string;
            url: string | null;
            /** Format: uuid */
            event_id: string;
            event: string | null;
            /** Format: uuid */
            record_id: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            response_status: number | null;
            error: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_attempt_at: string | null;
            /** Format: date-time */
            delivered_at: string | null;
        };
        SourceEvent: {
            /** Format: uuid */
            id: string;
            external_id: string | null;
            event: string | null;
            /** @enum {string} */
            status: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
            /** Format: uuid */
            record_id: string | null;
            error: string | null;
            size: number;
            /** Format: date-time */
            received_at: string;
        };
        Comment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            note_id: string | null;
            /** Format: uuid */
            record_id: string | null;
            /** Format: uuid */
            structure_id: string | null;
            /** Format: uuid */
            thread: string | null;
            text: string;
            passage: {
                text: string;
                before: string;
                after: string;
            } | null;
            mentions: {
                /** Format: uuid */
                id: string | null;
                name: string;
            }[];
            author: {
                /** Format: uuid */
                id: string | null;
                name: string;
            };
            /** Format: date-time */
            resolved_at: string | null;
            resolved_by: {
                /** Format: uuid */
                id: string | null;
                name: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        InboxItem: {
            comment: components["schemas"]["Comment"];
            /** @enum {string} */
            reason: "mention" | "reply";
            title: string | null;
            /** Format: date-time */
            read_at: string | null;
        };
        Change: {
            cursor: string;
            transaction: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share" | "comment";
            /** @enum {string} */
            op: "created" | "updated" | "deleted" | "restored" | "purged";
            id: string | number;
            structure_id: string | null;
            changed: string[];
            previous: Record<string, never>;
            actor: components["schemas"]["Actor"];
            object?: Record<string, never> | null;
        };
        Transaction: {
            transaction: string;
            cursor: string;
            /** Format: date-time */
            at: string;
            actor: components["schemas"]["Actor"];
            counts: {
                /** @enum {string} */
                kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share" | "comment";
                /** @enum {string} */
                op: "created" | "updated" | "deleted" | "restored" | "purged";
                structure_id: string | null;
                n: number;
            }[];
            objects: {
                /** @enum {string} */
                kind: "note" | "record" | "tag" | "property" | "structure" | "preset" | "view" | "lens" | "quick_access_item" | "file" | "webhook" | "source" | "row_view" | "share" | "comment";
                /** @enum {string} */
                op: "created" | "updated" | "deleted" | "restored" | "purged";
                structure_id: string | null;
                id: string | number;
                label: string | null;
            }[];
            undone_by: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        /** @enum {string} */
                        backup?: "failed" | "stale";
                        /** @constant */
                        log?: "growing";
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyInfo"];
                };
            };
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workspace: components["schemas"]["Workspace"];
                    };
                };
            };
        };
    };
    listNotes: {
        parameters: {
            query?: {
                search?: string;
                match?: "any" | "prefix";
                tag?: string;
                sort?: "created_at" | "updated_at" | "edited_at" | "title";
                direction?: "asc" | "desc";
                content?: boolean;
                excerpt?: boolean;
                limit?: number;
                offset?: number;
                cursor?: string;
                total?: boolean;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        total: number;
                        has_more: boolean;
                        next_cursor?: string | null;
                    };
                };
            };
        };
    };
    createNote: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title: string;
                    content?: string;
                    tags?: string[];
                    alias?: string | null;
                    aliases?: string[];
                    cover_url?: string | null;
                    properties?: {
                        [key: string]: unknown;
                    };
                    preset?: string;
                    answers?: {
                        [key: string]: unknown;
                    };
                    tz?: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                        properties: {
                            [key: string]: unknown;
                        };
                        properties_error: {
                            error: string;
                            code: string;
                        } | null;
                    };
                };
            };
        };
    };
    queryNotes: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filter: components["schemas"]["FilterTree"];
                    search?: string;
                    /** @enum {string} */
                    match?: "any" | "prefix";
                    /** @enum {string} */
                    sort?: "created_at" | "updated_at" | "edited_at" | "title";
                    /** @enum {string} */
                    direction?: "asc" | "desc";
                    content?: boolean;
                    excerpt?: boolean;
                    /** @default 50 */
                    limit?: number;
                    /** @default 0 */
                    offset?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    listTrash: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["TrashedNote"][];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    emptyTrash: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        purged: number;
                    };
                };
            };
        };
    };
    getTrashedNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    purgeNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    getNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    trashNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        trashed: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    title?: string;
                    content?: string;
                    alias?: string | null;
                    aliases?: string[];
                    pinned?: boolean;
                    pin_label?: string | null;
                    cover_url?: string | null;
                    tags?: string[];
                    rewrite_links?: boolean;
                    /** Format: date-time */
                    if_unchanged?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                        links_rewritten?: number;
                    };
                };
            };
        };
    };
    appendToNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                    heading?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    editNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    old_str: string;
                    new_str?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    restoreNote: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    getNoteProperties: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    updateNoteProperties: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    addNoteTags: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    tags: string[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    removeNoteTag: {
        parameters: {
            query?: never;
            path: {
                id: string;
                name: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    getNoteLinks: {
        parameters: {
            query?: {
                context?: boolean;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        outgoing: {
                            text: string;
                            note: {
                                /** Format: uuid */
                                id: string;
                                title: string;
                            } | null;
                        }[];
                        backlinks: {
                            /** Format: uuid */
                            id: string;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            context?: string;
                        }[];
                    };
                };
            };
        };
    };
    listNoteMentions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        mentions: {
                            /** Format: uuid */
                            id: string;
                            title: string;
                            snippet: string;
                        }[];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    listNoteRevisions: {
        parameters: {
            query?: {
                limit?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revisions: components["schemas"]["Revision"][];
                    };
                };
            };
        };
    };
    restoreNoteRevision: {
        parameters: {
            query?: never;
            path: {
                id: string;
                revisionId: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                    };
                };
            };
        };
    };
    followPresence: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    reportPresence: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    writing: boolean;
                    line?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        people: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            writing: boolean;
                            line: number | null;
                        }[];
                    };
                };
            };
        };
    };
    listNoteFiles: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        files: components["schemas"]["File"][];
                    };
                };
            };
        };
    };
    search: {
        parameters: {
            query?: {
                q?: string;
                kind?: "notes" | "records" | "files" | "presets";
                limit?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: {
                            /** Format: uuid */
                            id: string;
                            title: string;
                            tags: string[];
                            alias: string | null;
                            aliases?: string[];
                            pinned: boolean;
                            pin_label: string | null;
                            cover_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            snippet?: string;
                            excerpt?: string;
                            /** @enum {string} */
                            match: "recent" | "title" | "text" | "similar_title" | "some_words";
                            matched_alias?: string;
                        }[];
                        structures: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        }[];
                        records: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            structure_id: string;
                            structure: string;
                            label: string;
                        }[];
                        files: {
                            /** Format: uuid */
                            id: string;
                            file_name: string;
                        }[];
                        presets: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        }[];
                    };
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tags: components["schemas"]["Tag"][];
                    };
                };
            };
        };
    };
    getTag: {
        parameters: {
            query?: never;
            path: {
                id: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                        used_by: {
                            views: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            lenses: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            path: {
                id: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        id: number;
                    };
                };
            };
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            path: {
                id: number;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
        };
    };
    setTagLinks: {
        parameters: {
            query?: never;
            path: {
                id: number;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    linked_tag_ids: number[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tag: components["schemas"]["Tag"];
                    };
                };
            };
        };
    };
    listProperties: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        properties: components["schemas"]["Property"][];
                    };
                };
            };
        };
    };
    createProperty: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    key: string;
                    /** @enum {string} */
                    type: "text" | "number" | "date" | "bool" | "select" | "json";
                    label?: string | null;
                    options?: string[];
                    position?: number;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        property: components["schemas"]["Property"];
                    };
                };
            };
        };
    };
    getProperty: {
        parameters: {
            query?: never;
            path: {
                idOrKey: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        property: components["schemas"]["Property"];
                        used_by: {
                            views: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                                roles: ("filter" | "sort" | "display")[];
                            }[];
                            presets: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            lenses: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    deleteProperty: {
        parameters: {
            query?: never;
            path: {
                idOrKey: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        notes_affected: number;
                    };
                };
            };
        };
    };
    updateProperty: {
        parameters: {
            query?: never;
            path: {
                idOrKey: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    key?: string;
                    label?: string | null;
                    /** @enum {string} */
                    type?: "text" | "number" | "date" | "bool" | "select" | "json";
                    options?: string[];
                    position?: number;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        property: components["schemas"]["Property"];
                        stranded_values: {
                            value: string;
                            notes: number;
                        }[];
                    };
                };
            };
        };
    };
    listPresets: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        presets: components["schemas"]["Preset"][];
                    };
                };
            };
        };
    };
    createPreset: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    tags?: string[];
                    properties?: {
                        key: string;
                        value: unknown;
                    }[];
                    ask?: {
                        key: string;
                        value?: unknown;
                    }[];
                    content?: string | null;
                    icon?: string | null;
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
        };
    };
    getPreset: {
        parameters: {
            query?: never;
            path: {
                idOrName: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
        };
    };
    deletePreset: {
        parameters: {
            query?: never;
            path: {
                idOrName: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updatePreset: {
        parameters: {
            query?: never;
            path: {
                idOrName: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    tags?: string[];
                    properties?: {
                        key: string;
                        value: unknown;
                    }[];
                    ask?: {
                        key: string;
                        value?: unknown;
                    }[];
                    content?: string | null;
                    icon?: string | null;
                    color?: string | null;
                    is_pinned?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        preset: components["schemas"]["Preset"];
                    };
                };
            };
        };
    };
    applyPreset: {
        parameters: {
            query?: never;
            path: {
                idOrName: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    note_id: string;
                    answers?: {
                        [key: string]: unknown;
                    };
                    tz?: string;
                    overwrite?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: components["schemas"]["Note"];
                        properties: {
                            [key: string]: unknown;
                        };
                        tags_added: string[];
                        properties_set: string[];
                        properties_kept: string[];
                        properties_unanswered: string[];
                    };
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        views: components["schemas"]["View"][];
                    };
                };
            };
        };
    };
    createView: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    filter?: components["schemas"]["FilterTree"] | null;
                    sort?: {
                        /** @enum {string} */
                        field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                        /** @enum {string} */
                        direction?: "asc" | "desc";
                        property?: string;
                    };
                    display_properties?: string[];
                    show_tags?: boolean;
                    is_pinned?: boolean;
                    is_default?: boolean;
                    icon?: string | null;
                    color?: string | null;
                    cover_url?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
        };
    };
    getView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    filter?: components["schemas"]["FilterTree"] | null;
                    sort?: {
                        /** @enum {string} */
                        field: "created_at" | "updated_at" | "edited_at" | "title" | "property";
                        /** @enum {string} */
                        direction?: "asc" | "desc";
                        property?: string;
                    };
                    display_properties?: string[];
                    show_tags?: boolean;
                    is_pinned?: boolean;
                    is_default?: boolean;
                    icon?: string | null;
                    color?: string | null;
                    cover_url?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        view: components["schemas"]["View"];
                    };
                };
            };
        };
    };
    listViewNotes: {
        parameters: {
            query?: {
                content?: boolean;
                excerpt?: boolean;
                limit?: number;
                offset?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["ListedNote"][];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    listLenses: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lenses: components["schemas"]["Lens"][];
                    };
                };
            };
        };
    };
    createLens: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    scope?: components["schemas"]["FilterTree"] | null;
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
                    is_default?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
        };
    };
    getLens: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
        };
    };
    deleteLens: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateLens: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    scope?: components["schemas"]["FilterTree"] | null;
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
                    is_default?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lens: components["schemas"]["Lens"];
                    };
                };
            };
        };
    };
    getLensGraph: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        nodes: {
                            id: string;
                            title: string;
                            /** @enum {string} */
                            kind: "note" | "tag" | "dangling";
                            degree: number;
                        }[];
                        edges: {
                            from: string;
                            to: string;
                            /** @enum {string} */
                            kind: "link" | "tag";
                        }[];
                        truncated: boolean;
                    };
                };
            };
        };
    };
    getGraph: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        nodes: {
                            id: string;
                            title: string;
                            /** @enum {string} */
                            kind: "note" | "tag" | "dangling";
                            degree: number;
                        }[];
                        edges: {
                            from: string;
                            to: string;
                            /** @enum {string} */
                            kind: "link" | "tag";
                        }[];
                        truncated: boolean;
                    };
                };
            };
        };
    };
    listQuickAccess: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["QuickAccessItem"][];
                    };
                };
            };
        };
    };
    createQuickAccessItem: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    note_id: string;
                    icon?: string | null;
                    color?: string | null;
                    icon_filled?: boolean;
                    position?: number;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        item: components["schemas"]["QuickAccessItem"];
                    };
                };
            };
        };
    };
    deleteQuickAccessItem: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateQuickAccessItem: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    icon?: string | null;
                    color?: string | null;
                    icon_filled?: boolean;
                    position?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        item: components["schemas"]["QuickAccessItem"];
                    };
                };
            };
        };
    };
    listStructures: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        structures: components["schemas"]["Structure"][];
                    };
                };
            };
        };
    };
    createStructure: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    fields: {
                        key: string;
                        /** @enum {string} */
                        type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                        label?: string | null;
                        required?: boolean;
                        unit?: string | null;
                        hidden?: boolean;
                        unique?: boolean;
                        min?: number | string | null;
                        max?: number | string | null;
                        options?: string[] | null;
                        expression?: string;
                        via?: {
                            structure: string;
                            field: string;
                        };
                        /** @enum {string} */
                        function?: "count" | "sum" | "average" | "min" | "max";
                        field?: string;
                        /** @enum {string} */
                        result?: "text" | "number" | "bool" | "date" | "datetime";
                        computing?: boolean;
                        structure?: string | null;
                        format?: {
                            /** @enum {string} */
                            style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                            decimals?: number;
                            currency?: string;
                        } | null;
                        multiple?: boolean;
                    }[];
                    description?: string | null;
                    label_field?: string | null;
                    unique_together?: string[][];
                    max_rows?: number | null;
                    immutable?: boolean;
                    icon?: string | null;
                    color?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                    };
                };
            };
        };
    };
    getStructure: {
        parameters: {
            query?: never;
            path: {
                nameOrId: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                    };
                };
            };
        };
    };
    updateStructure: {
        parameters: {
            query?: never;
            path: {
                nameOrId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    fields?: {
                        key: string;
                        /** @enum {string} */
                        type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                        label?: string | null;
                        required?: boolean;
                        unit?: string | null;
                        hidden?: boolean;
                        unique?: boolean;
                        min?: number | string | null;
                        max?: number | string | null;
                        options?: string[] | null;
                        expression?: string;
                        via?: {
                            structure: string;
                            field: string;
                        };
                        /** @enum {string} */
                        function?: "count" | "sum" | "average" | "min" | "max";
                        field?: string;
                        /** @enum {string} */
                        result?: "text" | "number" | "bool" | "date" | "datetime";
                        computing?: boolean;
                        structure?: string | null;
                        format?: {
                            /** @enum {string} */
                            style: "plain" | "grouped" | "percent" | "currency" | "url" | "email" | "phone" | "long";
                            decimals?: number;
                            currency?: string;
                        } | null;
                        multiple?: boolean;
                    }[];
                    description?: string | null;
                    label_field?: string | null;
                    unique_together?: string[][];
                    max_rows?: number | null;
                    immutable?: boolean;
                    icon?: string | null;
                    color?: string | null;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                        refusals?: {
                            error: string;
                            code: string;
                            field: string | null;
                        }[];
                    };
                };
            };
        };
    };
    convertField: {
        parameters: {
            query?: never;
            path: {
                nameOrId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    field: string;
                    key: string;
                    /** @enum {string} */
                    type: "text" | "number" | "date" | "time" | "datetime" | "bool" | "select" | "note" | "file" | "record" | "user" | "formula" | "rollup";
                    options?: string[] | null;
                    label?: string | null;
                    multiple?: boolean;
                    /** @enum {string} */
                    date_format?: "iso" | "mdy" | "dmy" | "ymd";
                    /** @enum {string} */
                    decimal?: "." | ",";
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        structure: components["schemas"]["Structure"];
                        converted: number;
                        empty: number;
                        failed: number;
                        failures: {
                            /** Format: uuid */
                            record_id: string;
                            value: string | number | boolean | string[];
                        }[];
                    };
                };
            };
        };
    };
    listRowViews: {
        parameters: {
            query?: {
                structure?: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row_views: components["schemas"]["RowView"][];
                    };
                };
            };
        };
    };
    createRowView: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    structure: string;
                    name: string;
                    /** @enum {string} */
                    kind?: "table" | "board" | "calendar";
                    filter?: components["schemas"]["RecordCondition"][];
                    search?: string | null;
                    sort?: string | null;
                    /** @enum {string|null} */
                    direction?: "asc" | "desc" | null;
                    columns?: {
                        key: string;
                        width?: number;
                    }[] | null;
                    group_by?: string | null;
                    date_field?: string | null;
                    end_field?: string | null;
                    personal?: boolean;
                    locked?: boolean;
                    position?: number;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
        };
    };
    getRowView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
        };
    };
    deleteRowView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateRowView: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    /** @enum {string} */
                    kind?: "table" | "board" | "calendar";
                    filter?: components["schemas"]["RecordCondition"][];
                    search?: string | null;
                    sort?: string | null;
                    /** @enum {string|null} */
                    direction?: "asc" | "desc" | null;
                    columns?: {
                        key: string;
                        width?: number;
                    }[] | null;
                    group_by?: string | null;
                    date_field?: string | null;
                    end_field?: string | null;
                    personal?: boolean;
                    locked?: boolean;
                    position?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        row_view: components["schemas"]["RowView"];
                    };
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                structure?: string;
                view?: string;
                filter?: string;
                search?: string;
                sort?: string;
                direction?: "asc" | "desc";
                deleted?: boolean;
                expand?: string;
                limit?: number;
                offset?: number;
                cursor?: string;
                total?: boolean;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        records: components["schemas"]["Record"][];
                        total: number;
                        has_more: boolean;
                        next_cursor?: string | null;
                        expanded?: Record<string, never>;
                        /** @constant */
                        expanded_truncated?: true;
                    };
                };
            };
        };
    };
    writeRecords: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteRow"] | components["schemas"]["WriteRows"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        written: number;
                        inserted: number;
                        updated: number;
                        records: components["schemas"]["Record"][];
                    };
                };
            };
        };
    };
    watchRecords: {
        parameters: {
            query?: {
                structure?: string;
                view?: string;
                filter?: string;
                search?: string;
                sort?: string;
                direction?: "asc" | "desc";
                limit?: number;
                expand?: string;
                changes?: boolean;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    summariseRecords: {
        parameters: {
            query?: {
                structure?: string;
                view?: string;
                filter?: string;
                search?: string;
                field?: string;
                period?: "day" | "week" | "month" | "year";
                by?: string;
                date?: string;
                tz?: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        buckets: components["schemas"]["Bucket"][];
                    };
                };
            };
        };
    };
    readBoard: {
        parameters: {
            query?: {
                structure?: string;
                view?: string;
                filter?: string;
                search?: string;
                sort?: string;
                direction?: "asc" | "desc";
                group_by?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        columns: components["schemas"]["BoardColumn"][];
                        total: number;
                    };
                };
            };
        };
    };
    getRecord: {
        parameters: {
            query?: {
                expand?: string;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        record: components["schemas"]["Record"];
                        /** Format: uuid */
                        structure_id: string;
                        expanded?: Record<string, never>;
                        /** @constant */
                        expanded_truncated?: true;
                    };
                };
            };
        };
    };
    deleteRecord: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateRecord: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    data: {
                        [key: string]: unknown;
                    };
                    /** Format: date-time */
                    if_unchanged?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
        };
    };
    listRecordHistory: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: components["schemas"]["Version"][];
                        has_more: boolean;
                    };
                };
            };
        };
    };
    revertRecord: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    to: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
        };
    };
    restoreRecord: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        record: components["schemas"]["Record"];
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                structure?: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    kind?: "record" | "note" | "file";
                    structure?: string;
                    url?: string;
                    /** @enum {string} */
                    delivery?: "pull";
                    events?: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
                    /** @enum {string|null} */
                    format?: "json" | "slack" | "discord" | "ntfy" | "text" | null;
                    template?: string | null;
                    due?: components["schemas"]["WebhookDue"] | null;
                    quiet_seconds?: number | null;
                    include_content?: boolean | null;
                    ordered?: boolean | null;
                    filter?: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
                    fields?: string[] | null;
                    ignore_own_key?: boolean;
                    ignore_key_id?: string | null;
                    description?: string | null;
                    headers?: {
                        [key: string]: unknown;
                    } | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        secret?: string | null;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    url?: string;
                    events?: ("record.created" | "record.updated" | "record.deleted" | "record.due" | "note.created" | "note.updated" | "note.deleted" | "note.restored" | "file.created" | "file.updated" | "file.deleted")[];
                    /** @enum {string|null} */
                    format?: "json" | "slack" | "discord" | "ntfy" | "text" | null;
                    template?: string | null;
                    due?: components["schemas"]["WebhookDue"] | null;
                    quiet_seconds?: number | null;
                    include_content?: boolean | null;
                    ordered?: boolean | null;
                    filter?: components["schemas"]["RecordCondition"][] | components["schemas"]["FilterTree"] | null;
                    fields?: string[] | null;
                    ignore_own_key?: boolean;
                    ignore_key_id?: string | null;
                    description?: string | null;
                    headers?: {
                        [key: string]: unknown;
                    } | null;
                    enabled?: boolean;
                    resume?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        secret: string;
                    };
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    overlap_hours: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        secret: string;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                before?: string;
                limit?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["Delivery"][];
                    };
                };
            };
        };
    };
    listPulledEvents: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                wait?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: {
                            cursor: string;
                            payload: components["schemas"]["DeliveredEvent"];
                        }[];
                        acknowledged: string | null;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    acknowledgeEvents: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    cursor: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acknowledged: string | null;
                        pending: number;
                    };
                };
            };
        };
    };
    recoverDeliveries: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    since: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redelivered: number;
                    };
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: {
                include?: "responses";
            };
            path: {
                id: string;
                deliveryId: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                        body: string;
                        request_headers?: Record<string, never>;
                        attempts: components["schemas"]["Attempt"][];
                    };
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            path: {
                id: string;
                deliveryId: string;
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                    };
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        shares: components["schemas"]["Share"][];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    kind: "note" | "view" | "row_view" | "form";
                    target_id: string;
                    name?: string | null;
                    password?: string | null;
                    /** Format: date-time */
                    expires_at?: string | null;
                    options?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
        };
    };
    getShare: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
        };
    };
    deleteShare: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateShare: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    password?: string | null;
                    /** Format: date-time */
                    expires_at?: string | null;
                    options?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
        };
    };
    rotateShare: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        share: components["schemas"]["Share"];
                    };
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sources: components["schemas"]["Source"][];
                    };
                };
            };
        };
    };
    createSource: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    structure: string;
                    /** @enum {string} */
                    provider: "stripe" | "github" | "standard" | "shopify" | "slack" | "hmac" | "basic" | "bearer" | "none";
                    options?: {
                        [key: string]: unknown;
                    };
                    secret?: string;
                    map?: {
                        [key: string]: unknown;
                    };
                    external_id?: string | null;
                    event?: string | null;
                    when?: unknown[];
                    /** @enum {string} */
                    on_conflict?: "refuse" | "update";
                    newer_by?: string | null;
                    forward?: {
                        url: string;
                        when?: unknown[];
                    }[];
                    enabled?: boolean;
                    description?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
        };
    };
    getSource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
        };
    };
    deleteSource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateSource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    options?: {
                        [key: string]: unknown;
                    };
                    secret?: string;
                    map?: {
                        [key: string]: unknown;
                    };
                    external_id?: string | null;
                    event?: string | null;
                    when?: unknown[];
                    /** @enum {string} */
                    on_conflict?: "refuse" | "update";
                    newer_by?: string | null;
                    forward?: {
                        url: string;
                        when?: unknown[];
                    }[];
                    enabled?: boolean;
                    description?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
        };
    };
    rotateSource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
        };
    };
    listSourceDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                before?: string;
                limit?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["SourceDelivery"][];
                    };
                };
            };
        };
    };
    redeliverSourceEvent: {
        parameters: {
            query?: never;
            path: {
                id: string;
                deliveryId: string;
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["SourceDelivery"];
                    };
                };
            };
        };
    };
    resumeSource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        source: components["schemas"]["Source"];
                    };
                };
            };
        };
    };
    listSourceEvents: {
        parameters: {
            query?: {
                status?: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                before?: string;
                after?: string;
                limit?: number;
                wait?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: components["schemas"]["SourceEvent"][];
                        has_more: boolean;
                    };
                };
            };
        };
    };
    getSourceEvent: {
        parameters: {
            query?: {
                sealed?: boolean;
            };
            path: {
                id: string;
                eventId: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event: components["schemas"]["SourceEvent"];
                        headers: string[][];
                        body: string | null;
                        sealed?: string | null;
                    };
                };
            };
        };
    };
    replaySourceEvent: {
        parameters: {
            query?: never;
            path: {
                id: string;
                eventId: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event: components["schemas"]["SourceEvent"];
                    };
                };
            };
        };
    };
    replaySourceEvents: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status: "unmapped";
                    /** Format: date-time */
                    since?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replayed: number;
                        unmapped: number;
                    };
                };
            };
        };
    };
    trySource: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    body?: unknown;
                    headers?: {
                        [key: string]: unknown;
                    } | unknown[];
                    event_id?: string;
                    map?: {
                        [key: string]: unknown;
                    };
                    when?: unknown[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                        data: {
                            [key: string]: unknown;
                        } | null;
                        error: string | null;
                    };
                };
            };
        };
    };
    receive: {
        parameters: {
            query?: never;
            path: {
                token: string;
            };
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status?: "written" | "updated" | "duplicate" | "ignored" | "stale" | "unmapped";
                        /** Format: uuid */
                        event_id?: string;
                        /** Format: uuid */
                        record_id?: string | null;
                        challenge?: string;
                    };
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: {
                note_id?: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        files: components["schemas"]["File"][];
                    };
                };
            };
        };
    };
    searchFiles: {
        parameters: {
            query: {
                q: string;
                file_id?: string;
                limit?: number;
                offset?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            file: {
                                /** Format: uuid */
                                id: string;
                                file_name: string;
                                /** Format: uuid */
                                note_id: string | null;
                            };
                            page: number;
                            snippet: string;
                        }[];
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    getFile: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        file: {
                            /** Format: uuid */
                            id: string;
                            file_name: string;
                            /** Format: uuid */
                            note_id: string | null;
                            mime_type: string;
                            size: number;
                            /** @enum {string} */
                            status: "processing" | "ready" | "failed";
                            pages: number | null;
                            error: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            outline: {
                                title: string;
                                level: number;
                                page: number;
                            }[];
                        };
                    };
                };
            };
        };
    };
    renameFile: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    file_name?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        file: components["schemas"]["File"];
                    };
                };
            };
        };
    };
    getFileText: {
        parameters: {
            query?: {
                pages?: string;
                max_chars?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        file: {
                            /** Format: uuid */
                            id: string;
                            file_name: string;
                        };
                        pages: string;
                        text: string;
                        truncated: boolean;
                        next_chunk: string | null;
                    };
                };
            };
        };
    };
    getFileContent: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    listComments: {
        parameters: {
            query?: {
                note_id?: string;
                record_id?: string;
                limit?: number;
                offset?: number;
                cursor?: string;
                total?: boolean;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comments: components["schemas"]["Comment"][];
                        total: number;
                        has_more: boolean;
                        next_cursor?: string | null;
                    };
                };
            };
        };
    };
    createComment: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                    note_id?: string;
                    record_id?: string;
                    thread?: string;
                    passage?: {
                        text: string;
                        before?: string;
                        after?: string;
                    };
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comment: components["schemas"]["Comment"];
                    };
                };
            };
        };
    };
    getComment: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comment: components["schemas"]["Comment"];
                    };
                };
            };
        };
    };
    deleteComment: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    updateComment: {
        parameters: {
            query?: never;
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    text?: string;
                    resolved?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        comment: components["schemas"]["Comment"];
                    };
                };
            };
        };
    };
    readInbox: {
        parameters: {
            query?: {
                unread?: boolean;
                limit?: number;
                offset?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["InboxItem"][];
                        unread: number;
                        total: number;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    markInboxRead: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids?: string[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        unread: number;
                    };
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                kinds?: string;
                structure?: string;
                include?: "objects";
                edited?: boolean;
                wait?: number;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: components["schemas"]["Change"][];
                        cursor: string;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                before?: string;
                limit?: number;
                kinds?: string;
                structure?: string;
                actor?: string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        transactions: components["schemas"]["Transaction"][];
                        cursor: string;
                        has_more: boolean;
                    };
                };
            };
        };
    };
    getSnapshot: {
        parameters: {
            query?: {
                edited?: boolean;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    applyChanges: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changes: {
                        /** @enum {string} */
                        kind: "note" | "record";
                        /** @enum {string} */
                        op: "created" | "updated" | "deleted";
                        id: string;
                        structure?: string;
                        /** Format: date-time */
                        if_unchanged?: string;
                        data?: {
                            [key: string]: unknown;
                        };
                    }[];
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        transaction: string | null;
                        applied: {
                            /** @enum {string} */
                            kind: "note" | "record";
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            op: "created" | "updated" | "deleted";
                        }[];
                    };
                };
            };
        };
    };
    undo: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    transaction: string;
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        undone: {
                            /** @enum {string} */
                            kind: "note" | "record" | "comment";
                            id: string;
                            /** @enum {string} */
                            op: "created" | "updated" | "deleted" | "restored" | "purged";
                        }[];
                        transaction: string | null;
                    };
                };
            };
        };
    };
}
