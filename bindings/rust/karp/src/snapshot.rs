// SPDX-License-Identifier: Apache-2.0

use crate::admit::{admission, Admission, Admit};
use crate::cost::{Objective, Repack};
use crate::decision::{Decision, Said};
use crate::error::{call, invalid, Error};
use crate::objects::{catalogue, InstanceType, Object};
use crate::text::{copy, lend};
use karp_sys as c;
pub use karp_sys::Method;
use std::ffi::{c_void, CString};
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

pub(crate) struct Context(pub *mut c::karp_context);

impl Context {
    pub fn new() -> Result<Context, Error> {
        let mut out = ptr::null_mut();
        // SAFETY: options may be NULL; out and error are there.
        call(|error| unsafe { c::karp_context_new(ptr::null(), &mut out, error) })?;
        Ok(Context(out))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it is ours, and objects made in it keep what they need.
        unsafe { c::karp_context_unref(self.0) }
    }
}

struct Reader(*mut c::karp_reader);

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { c::karp_reader_free(self.0) }
    }
}

enum Part {
    File(PathBuf),
    Text(String, Vec<u8>),
}

/// What a snapshot is read from: Kubernetes objects, workloads, Lists and Snapshots, in YAML or JSON.
#[derive(Default)]
pub struct Input {
    parts: Vec<Part>,
    types: Option<String>,
    region: String,
    now: i64,
    strict: bool,
    queued: bool,
}

impl Input {
    pub fn new() -> Input {
        Input::default()
    }

    /// A file, or the `*.yaml`, `*.yml` and `*.json` of a directory.
    pub fn path(mut self, path: impl AsRef<Path>) -> Input {
        self.parts.push(Part::File(path.as_ref().to_path_buf()));
        self
    }

    /// A document; the name is what errors call it.
    pub fn text(mut self, name: &str, document: impl Into<Vec<u8>>) -> Input {
        self.parts.push(Part::Text(name.to_string(), document.into()));
        self
    }

    /// An object of [`crate::objects`].
    pub fn object(self, object: &impl Object) -> Input {
        let name = format!("object {}", self.parts.len() + 1);
        self.text(&name, object.manifest())
    }

    /// These types can be launched, by every NodePool, and no others.
    pub fn types(mut self, types: &[InstanceType]) -> Input {
        self.types = Some(catalogue(types));
        self
    }

    /// Of the built-in catalogue, where the objects do not say.
    pub fn region(mut self, region: &str) -> Input {
        self.region = region.to_string();
        self
    }

    /// The clock: nanoseconds since 1970. Without it that of the input.
    pub fn now(mut self, nanoseconds: i64) -> Input {
        self.now = nanoseconds;
        self
    }

    /// Fills nothing in beyond what the API server itself defaults.
    pub fn strict(mut self) -> Input {
        self.strict = true;
        self
    }

    /// What waits for admission is read as if it were admitted, for [`Snapshot::admit`]: suspended Jobs, Workloads of Kueue …
    pub fn queued(mut self) -> Input {
        self.queued = true;
        self
    }

    /// Reads everything. Errors name file, line, object and field.
    pub fn read(self) -> Result<Snapshot, Error> {
        let context = Context::new()?;
        // SAFETY: plain data that the call fills in; what it points to lives to the end of this function.
        let mut options: c::karp_reader_options = unsafe { std::mem::zeroed() };
        unsafe { c::karp_reader_options_init(&mut options, size_of::<c::karp_reader_options>()) };
        options.region = lend(&self.region);
        options.now = self.now;
        options.strict = self.strict.into();
        options.queued = self.queued.into();
        let mut made = ptr::null_mut();
        // SAFETY: the context lives; out and error are there.
        call(|error| unsafe { c::karp_reader_new(context.0, &options, &mut made, error) })?;
        let reader = Reader(made);
        if let Some(document) = &self.types {
            let text = c::karp_str { ptr: document.as_ptr().cast(), len: document.len() };
            let mut types = ptr::null_mut();
            // SAFETY: the context lives; out and error are there.
            call(|error| unsafe { c::karp_catalogue_read(context.0, lend("types"), text, &mut types, error) })?;
            // SAFETY: the reader takes a reference of its own.
            let added = call(|error| unsafe { c::karp_reader_add_catalogue(reader.0, types, error) });
            unsafe { c::karp_catalogue_unref(types) };
            added?;
        }
        for part in &self.parts {
            match part {
                Part::File(path) => {
                    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| invalid("a path with a NUL"))?;
                    // SAFETY: the reader is ours, the path ends with NUL.
                    call(|error| unsafe { c::karp_reader_add_path(reader.0, name.as_ptr(), error) })?;
                }
                Part::Text(name, document) => {
                    let text = c::karp_str { ptr: document.as_ptr().cast(), len: document.len() };
                    // SAFETY: the reader is ours and copies what it keeps.
                    call(|error| unsafe { c::karp_reader_add(reader.0, lend(name), text, error) })?;
                }
            }
        }
        let mut snapshot = ptr::null_mut();
        // SAFETY: the reader is ours.
        call(|error| unsafe { c::karp_reader_finish(reader.0, &mut snapshot, error) })?;
        // SAFETY: what the reader shows is borrowed from it, and copied here.
        let said = unsafe {
            Said {
                warnings: (0..c::karp_reader_warning_count(reader.0)).map(|i| copy(c::karp_reader_warning(reader.0, i))).collect(),
                catalogue: copy(c::karp_reader_catalogue_title(reader.0)),
                licences: copy(c::karp_reader_missing_licences(reader.0)),
            }
        };
        Ok(Snapshot { at: snapshot, said: Arc::new(said) })
    }
}

/// Whose decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Karpenter's, of the newest version that is known.
    #[default]
    Karpenter,
    /// Without Karpenter's known defects.
    Karp,
}

/// The order in which nodes to be launched are tried for a pod, those with fewer pods first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClaimOrder {
    /// `Peer`, and `Stable` with [`Profile::Karp`].
    #[default]
    Default,
    /// As Karpenter does: its sort moves equals if there are more than 12.
    Peer,
    /// Of equals the one that received a pod last comes first, and new ones come last.
    Stable,
}

/// Options of every decision.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The clock in nanoseconds since 1970; 0 = the snapshot's.
    pub now: i64,
    pub profile: Profile,
    pub claim_order: ClaimOrder,
    /// Deterministic budget; 0 = none.
    pub max_steps: u64,
    /// Ends the decision soon after it becomes true, with [`crate::Status::Canceled`].
    pub stop: Option<&'a AtomicBool>,
    /// What plans aim at: the least cost; `None` = to decide as Karpenter does. Of a repack plan the effort and the cost of a node.
    pub objective: Option<Objective>,
}

/// Asked by the library now and then.
unsafe extern "C" fn stopped(word: *mut c_void) -> i32 {
    (*word.cast::<AtomicBool>()).load(Ordering::Relaxed).into()
}

impl Options<'_> {
    /// What is returned points to `objective`.
    pub(crate) fn fill(&self, objective: &mut c::karp_objective) -> c::karp_options {
        // SAFETY: plain data that the call fills in.
        let mut out: c::karp_options = unsafe { std::mem::zeroed() };
        unsafe { c::karp_options_init(&mut out, size_of::<c::karp_options>()) };
        out.now = self.now;
        out.profile = (self.profile == Profile::Karp).into();
        out.claim_order = self.claim_order as u32;
        out.max_steps = self.max_steps;
        if let Some(word) = self.stop {
            out.should_stop = Some(stopped);
            out.stop_user = ptr::from_ref(word).cast_mut().cast();
        }
        if let Some(given) = &self.objective {
            given.fill(objective);
            out.objective = objective;
        }
        out
    }
}

/// A cluster at one instant, checked and immutable.
pub struct Snapshot {
    pub(crate) at: *mut c::karp_snapshot,
    pub(crate) said: Arc<Said>,
}

// SAFETY: a snapshot is immutable, and libkarp counts references atomically (docs/memory-and-threads.md).
unsafe impl Send for Snapshot {}
unsafe impl Sync for Snapshot {}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { c::karp_snapshot_unref(self.at) }
    }
}

impl Snapshot {
    /// Fields without effect, unknown kinds …
    pub fn warnings(&self) -> &[String] {
        &self.said.warnings
    }

    /// Which nodes to start, for which pods; which pods go to nodes that exist; which fit nowhere, and why.
    pub fn plan(&self, options: &Options) -> Result<Decision, Error> {
        // SAFETY: plain data that fill() fills in; likewise below.
        let mut objective = unsafe { std::mem::zeroed() };
        let filled = options.fill(&mut objective);
        let mut out = ptr::null_mut();
        // SAFETY: the snapshot lives; the options point to what lives as long as `options`.
        call(|error| unsafe { c::karp_provision(self.at, &filled, &mut out, error) })?;
        Ok(Decision::of(out, &self.said))
    }

    /// One disruption pass: which nodes Karpenter would remove, and what replaces them.
    pub fn disrupt(&self, method: Method, options: &Options) -> Result<Decision, Error> {
        let mut objective = unsafe { std::mem::zeroed() };
        let common = options.fill(&mut objective);
        // SAFETY: plain data that the call fills in.
        let mut filled: c::karp_disrupt_options = unsafe { std::mem::zeroed() };
        unsafe { c::karp_disrupt_options_init(&mut filled, size_of::<c::karp_disrupt_options>()) };
        filled.common = &common;
        filled.method = method as u32;
        let mut out = ptr::null_mut();
        // SAFETY: as in plan().
        call(|error| unsafe { c::karp_disrupt(self.at, &filled, &mut out, error) })?;
        Ok(Decision::of(out, &self.said))
    }

    /// Whether each workload that waits can start now, after nodes are launched for it, or never: one after another, by priority,
    /// then by age; what one gets is not there for the next. The profile and the objective are not read.
    pub fn admit(&self, asked: &Admit, options: &Options) -> Result<Admission, Error> {
        let mut objective = unsafe { std::mem::zeroed() };
        let common = options.fill(&mut objective);
        // SAFETY: plain data that the call fills in.
        let mut filled: c::karp_admit_options = unsafe { std::mem::zeroed() };
        unsafe { c::karp_admit_options_init(&mut filled, size_of::<c::karp_admit_options>()) };
        filled.common = &common;
        filled.boot = asked.boot;
        filled.flavours = asked.flavours.bits();
        filled.flavours_up_to = asked.flavours_up_to;
        filled.most_changes = asked.changes;
        filled.only = lend(&asked.only);
        let mut out = ptr::null_mut();
        // SAFETY: as in plan().
        call(|error| unsafe { c::karp_admit(self.at, &filled, &mut out, error) })?;
        admission(out, &self.said)
    }

    /// From the cluster there is to a cheaper one: the commands of the decision are the steps, one after the other.
    pub fn repack(&self, limits: &Repack, options: &Options) -> Result<Decision, Error> {
        let mut objective = unsafe { std::mem::zeroed() };
        let common = options.fill(&mut objective);
        let filled = limits.fill(&common);
        let mut out = ptr::null_mut();
        // SAFETY: as in plan().
        call(|error| unsafe { c::karp_repack(self.at, &filled, &mut out, error) })?;
        Ok(Decision::of(out, &self.said))
    }
}
