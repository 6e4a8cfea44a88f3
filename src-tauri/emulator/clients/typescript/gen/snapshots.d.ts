// Made by declare.mjs; not written by hand.
/** What a world was like, kept under a name. */
/** @import { Reset, Snapshot, SnapshotPage, StateDiff } from '../gen/types.d.ts' */
/** Taken, listed, gone back to, forgotten. A name has a-z, 0-9 and the hyphen. */
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
     * Back to it, jobs and all; what is under way can neither answer nor write any more.
     *
     * @param {string} name
     * @returns {Promise<Reset>}
     */
    restore(name: string): Promise<Reset>;
    /**
     * What was added, removed and changed, by resource; `seed` and `now` are names, too. `ignore` names resources and
     * fields that are of no interest: ['jobs', 'lists.updated_at'].
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
import type { Reset } from '../gen/types.d.ts';
import type { StateDiff } from '../gen/types.d.ts';
