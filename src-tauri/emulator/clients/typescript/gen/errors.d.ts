// Made by declare.mjs; not written by hand.
/** What can go wrong, each said in words that tell what to do. */
/** Any of them. */
export class RoostError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, options?: ErrorOptions);
}
/** No server could be started, or none is named well. */
export class StartError extends RoostError {
}
/** Nobody answers at the address. */
export class NotThere extends RoostError {
}
/** The server says no, in its own words behind what it was asked. */
export class AdminError extends RoostError {
    /**
     * @param {number} status
     * @param {string} code
     * @param {string} told
     */
    constructor(status: number, code: string, told: string);
    status: number;
    code: string;
}
/** The requests did not come as they were to come; the text tells which came nearest and where they differ. */
export class NotVerified extends RoostError {
    /**
     * @param {import('../gen/types.d.ts').Verified} verified
     * @param {string} text
     */
    constructor(verified: import("../gen/types.d.ts").Verified, text: string);
    verified: import("../gen/types.d.ts").Verified;
}
/** Jobs or callbacks were not done in time, or less came to a receiver than was to come. */
export class NotSettled extends RoostError {
    /**
     * @param {string} text
     * @param {import('../gen/types.d.ts').CallbackWaited} [waited]
     */
    constructor(text: string, waited?: import("../gen/types.d.ts").CallbackWaited);
    waited: import("../gen/types.d.ts").CallbackWaited | undefined;
}
