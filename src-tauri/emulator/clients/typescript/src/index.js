/** Test against the Roost emulator, with a separate world for every test. */

export { Admin } from './admin.js'
export { AdminError, NotSettled, NotThere, NotVerified, RoostError, StartError } from './errors.js'
export { Faults } from './faults.js'
export { Hook } from './hook.js'
export { Journal } from './journal.js'
export { Server } from './server.js'
export { Snapshots } from './snapshots.js'
export { server, withWorld } from './with-world.js'
export { World } from './world.js'

/** @typedef {import('./server.js').Wish} Wish */
