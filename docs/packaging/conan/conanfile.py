# SPDX-License-Identifier: Apache-2.0
from conan import ConanFile
from conan.tools.files import copy, get, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class Libkarp(ConanFile):
    name = 'libkarp'
    version = '@VERSION@'
    description = 'Decides which nodes a Kubernetes cluster needs, as Karpenter does'
    homepage = 'https://libkarp.dev'
    license = 'Apache-2.0'
    topics = ('kubernetes', 'karpenter', 'autoscaling', 'scheduling')
    package_type = 'library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False], 'fPIC': [True, False], 'with_io': [True, False], 'with_program': [True, False]}
    default_options = {'shared': False, 'fPIC': True, 'with_io': True, 'with_program': False}
    languages = 'C'

    def configure(self):
        if self.options.shared:
            self.options.rm_safe('fPIC')

    def layout(self):
        basic_layout(self, src_folder='src')

    def requirements(self):
        if self.options.with_io:
            self.requires('libyaml/[>=0.2.5 <1]')

    def build_requirements(self):
        self.tool_requires('meson/[>=1.0.1 <2]')
        self.tool_requires('pkgconf/[>=2 <3]')

    def source(self):
        get(self, f'https://libkarp.dev/releases/libkarp-{self.version}.tar.gz', sha256='@SHA256:libkarp-@VERSION@.tar.gz@', strip_root=True)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options['tests'] = 'false'
        toolchain.project_options['io'] = 'enabled' if self.options.with_io else 'disabled'
        toolchain.project_options['cli'] = 'enabled' if self.options.with_program else 'disabled'
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        copy(self, 'LICENSE', self.source_folder, f'{self.package_folder}/licenses')
        Meson(self).install()
        for folder in ('lib/pkgconfig', 'lib/cmake', 'share'):
            rmdir(self, f'{self.package_folder}/{folder}')

    def package_info(self):
        self.cpp_info.set_property('cmake_file_name', 'karp')
        core = self.cpp_info.components['karp']
        core.libs = ['karp']
        core.set_property('cmake_target_name', 'karp::karp')
        core.set_property('pkg_config_name', 'karp')
        if self.settings.os in ('Linux', 'FreeBSD'):
            core.system_libs = ['m']
        if self.options.with_io:
            io = self.cpp_info.components['karp-io']
            io.libs = ['karp-io']
            io.requires = ['karp', 'libyaml::libyaml']
            io.set_property('cmake_target_name', 'karp::io')
            io.set_property('pkg_config_name', 'karp-io')
            if self.settings.os in ('Linux', 'FreeBSD'):
                io.system_libs = ['dl', 'm']
