// Made by declare.mjs; not written by hand.
export { Admin } from "./admin.js";
export { Faults } from "./faults.js";
export { Hook } from "./hook.js";
export { Journal } from "./journal.js";
export { Server } from "./server.js";
export { Snapshots } from "./snapshots.js";
export { World } from "./world.js";
export type Wish = import("./server.js").Wish;
export { AdminError, NotSettled, NotThere, NotVerified, RoostError, StartError } from "./errors.js";
export { server, withWorld } from "./with-world.js";
