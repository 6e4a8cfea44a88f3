// What can travel to the core and be kept there.

export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
