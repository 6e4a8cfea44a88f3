/** Compiles the areas whose messages changed since the last time; false when none did. */
export function compile(): Promise<boolean>
