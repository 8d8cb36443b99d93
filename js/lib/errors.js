// The classes of errors. A wrong argument is a TypeError.

/** An error of tsrec that has no class of its own. */
export class TsrecError extends Error {
  static {
    this.prototype.name = "TsrecError";
  }
}

/** The page is not HTML, but something else, such as PDF or an image. */
export class NotHtmlError extends TsrecError {
  static {
    this.prototype.name = "NotHtmlError";
  }
}

/** The bytes are no memory of a site, are damaged, or are of another version or model. */
export class MemoryFileError extends TsrecError {
  static {
    this.prototype.name = "MemoryFileError";
  }
}

/** A site was lost when tsrec failed on a page. */
export class SiteLostError extends TsrecError {
  static {
    this.prototype.name = "SiteLostError";
  }
}
