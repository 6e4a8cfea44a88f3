// Made by declare.mjs; not written by hand.
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
     * Restores it, including jobs, callbacks, fault rules, policies and receivers. The journal is cleared, and work in
     * progress ends without a response.
     *
     * @param {string} name
     * @returns {Promise<ResetReport>}
     */
    restore(name: string): Promise<ResetReport>;
    /**
     * What was added, removed and changed between two snapshots, by resource. `seed`, `now` and `@7`, the state after
     * line 7 of the journal and its job, work too. `arrangement` lists other changes: settings, policies, fault rules,
     * receivers, the clock and everything else that a test can arrange. `ignore`: what to ignore, for example
     * ['jobs', 'lists.updated_at', 'settings'].
     *
     * @param {string} [from]
     * @param {string} [to]
     * @param {{ ignore?: string[] }} [how]
     * @returns {Promise<StateDiff>}
     */
    diff(from?: string, to?: string, how?: {
        ignore?: string[];
    }): Promise<StateDiff>;
    all(): Promise<Snapshot[]>;
    /** @param {string} name */
    remove(name: string): Promise<void>;
}
import type { Snapshot } from '../gen/types.d.ts';
import type { ResetReport } from '../gen/types.d.ts';
import type { StateDiff } from '../gen/types.d.ts';
