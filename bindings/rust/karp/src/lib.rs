// SPDX-License-Identifier: Apache-2.0

//! Which nodes should this cluster launch for its pending pods, and which can be removed? libkarp decides as Karpenter does:
//! cluster state in, decision out. No API server, no cloud account, no clock; equal input gives equal decisions.
//!
//! ```no_run
//! let snapshot = karp::Input::new().path("manifests/").read()?;
//! let plan = snapshot.plan(&karp::Options::default())?;
//! for launch in plan.launches()? {
//!     println!("{} {} {}: {:?}", launch.id, launch.instance_type, launch.zone, launch.pods);
//! }
//! # Ok::<(), karp::Error>(())
//! ```
//!
//! The C library is inside ([`karp_sys`]), compiled by the C compiler that is there. A [`Snapshot`] and a [`Decision`] are
//! immutable and may be used by several threads at once. What they return is copied and outlives them. A pod that fits
//! nowhere is part of the decision, not an error.

mod admit;
mod compare;
mod cost;
mod decision;
mod error;
mod fit;
pub mod objects;
mod results;
mod snapshot;
mod text;

pub use admit::{Admission, Admit, Answer, Change, Condition, Flavour, Flavours, Workload};
pub use compare::{compare, Design};
pub use cost::{Cost, Objective, Repack, RepackCost};
pub use decision::{Decision, Group};
pub use error::{Error, Status};
pub use fit::{fit, FitDemand, FitLeft, FitLoad, FitNode, FitRequest, FitType, Fitting};
pub use results::{
    Candidate, CandidateRepair, Choice, Command, Ignored, Kept, Launch, NodeClassRef, NodeUse, Placement, PoolRefusal, TargetRefusal,
    Topology, TopologyDomain, Unschedulable,
};
pub use snapshot::{ClaimOrder, Input, Method, Options, Profile, Snapshot};

/// That of the library, `1.0.0`.
pub fn version() -> String {
    // SAFETY: the library returns a text that is always there.
    text::text(unsafe { std::ffi::CStr::from_ptr(karp_sys::karp_version()) })
}
