// Values that can be sent to the core and stored there.

export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
