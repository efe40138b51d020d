// What a process may be born with and must not stumble over: closed standard streams, a limit on the size of files.
#pragma once

namespace mercer::program {

/// Call it before anything else.
///
/// A standard stream that is closed is opened on /dev/null, in the direction in which it is not used: the first file that
/// is opened later would otherwise get its number, and be printed into. Using it still fails, as it must where data is
/// lost. A file beyond the limit on sizes (ulimit -f) is an error of its write, not a reason to die.
void prepare_process();

}  // namespace mercer::program
