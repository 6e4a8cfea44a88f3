// Made by declare.mjs; not written by hand.
/** Snapshots of a world, and comparisons with them. */
/** @import { ResetReport, Snapshot, SnapshotPage, StateDiff } from '../gen/types.d.ts' */
/** Take, compare, list, restore and remove snapshots. A name consists of a-z, 0-9 and -. */
export class Snapshots {
    /** @param {import('./admin.js').Admin} admin */
    constructor(admin: import("./admin.js").Admin);
    /** @private */
    private admin;
    /**
     * @param {string} name
     * @returns {Promise<Snapshot>}
     */
    take(name: string): Promise<Snapshot>;
    /**
     * Restores it, including jobs and callbacks. Work in progress ends without a response.
     *
     * @param {string} name
     * @returns {Promise<ResetReport>}
     */
    restore(name: string): Promise<ResetReport>;
    /**
     * What was added, removed and changed between two snapshots, by resource. `seed` and `now` work too. `ignore`:
     * resources and fields to ignore, for example ['jobs', 'lists.updated_at'].
     *
     * @param {string} [from]
     * @param {string} [to]
     * @param {{ ignore?: string[] }} [how]
     * @returns {Promise<StateDiff>}
     */
    diff(from?: string, to?: string, { ignore }?: {
        ignore?: string[];
    }): Promise<StateDiff>;
    all(): Promise<Snapshot[]>;
    /** @param {string} name */
    remove(name: string): Promise<void>;
}
import type { Snapshot } from '../gen/types.d.ts';
import type { ResetReport } from '../gen/types.d.ts';
import type { StateDiff } from '../gen/types.d.ts';
